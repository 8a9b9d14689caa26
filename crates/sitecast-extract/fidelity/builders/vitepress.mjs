export default {
  title: "Documentation",
  ignoreDeadLinks: true,
  themeConfig: {
    nav: [{ text: "Guide", link: "/" }],
    outline: "deep",
    editLink: { pattern: "https://example.com/edit/:path" },
    search: { provider: "local" },
  },
};
