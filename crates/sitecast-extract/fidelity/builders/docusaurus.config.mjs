export default {
  title: "Documentation",
  tagline: "Rules and their options",
  url: "https://eslint.example",
  baseUrl: "/",
  onBrokenLinks: "ignore",
  onBrokenAnchors: "ignore",
  markdown: { hooks: { onBrokenMarkdownLinks: "ignore", onBrokenMarkdownImages: "ignore" } },
  presets: [
    [
      "classic",
      {
        docs: { routeBasePath: "/", sidebarPath: "./docusaurus.sidebars.mjs", editUrl: "https://example.com/edit/", showLastUpdateTime: false },
        blog: false,
      },
    ],
  ],
  themeConfig: {
    navbar: { title: "Documentation", items: [{ href: "https://example.com", label: "Repository", position: "right" }] },
    footer: { style: "dark", copyright: "Copyright of the authors" },
  },
};
