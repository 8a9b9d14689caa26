use std::path::{Path, PathBuf};

use sitecast_publish::{BaseUrl, HostKind, Options, Section, SitemapForm};
use sitecast_scp::Compression;
use sitecast_sitemap::UpdateFrequency;

use crate::cli::Publish;
use crate::config::{CompressionName, HostName, SitemapChoice, SitemapName};
use crate::settings::{Settings, usual_cache, variable};

/// Flags over `sitecast.toml` over what is usual.
pub(crate) fn build(
    arguments: &Publish,
    settings: &Settings,
    base: BaseUrl,
    source: &Path,
    out: &str,
) -> Options {
    let config = &settings.publish;
    let mut options = Options::new(base);
    options.sections = sections(settings);
    options.exclude = [config.exclude.clone(), arguments.exclude.clone()].concat();
    options.keep_out = settings.keep_out();
    if let Some(names) = &config.compression {
        options.compressions = names
            .iter()
            .map(|name| match name {
                CompressionName::None => Compression::None,
                CompressionName::Gzip => Compression::Gzip,
                CompressionName::Zstd => Compression::Zstd,
            })
            .collect();
    }
    if let Some(folder) = &config.collections {
        options.collections = folder.trim_matches('/').to_owned();
    }
    options.collections_url.clone_from(&config.collections_url);
    options.delta_share = config.delta_share.unwrap_or(options.delta_share);
    artefacts(settings, &mut options);
    options.policy.clone_from(&settings.policy);
    options.full = arguments.full;
    options.dry_run = arguments.dry_run;
    options.mass_deletion = arguments.allow_deletions;
    options.limits = settings.limits().clone();
    options.comments = settings.comments;
    options.extract_limits = settings.extract_limits().clone();
    options.extract_rules = settings.extract_rules(Some(&options.base));
    if !arguments.no_cache {
        options.cache = cache(arguments, settings, source, out, &options.base);
    }
    options
}

fn sections(settings: &Settings) -> Vec<Section> {
    let config = &settings.publish;
    let mut sections = Vec::new();
    let has_all = config.sections.keys().any(|name| name.as_str() == "all");
    if config.all.unwrap_or(true) && !has_all {
        sections.push(Section::all());
    }
    sections.extend(config.sections.iter().map(|(name, section)| Section {
        name: name.clone(),
        paths: section.paths.clone(),
        update_frequency: section.update_freq.unwrap_or(UpdateFrequency::Daily),
    }));
    sections
}

fn artefacts(settings: &Settings, options: &mut Options) {
    let config = &settings.publish.artefacts;
    let made = &mut options.artefacts;
    for (wanted, made) in [
        (config.robots_txt, &mut made.robots_txt),
        (config.tct, &mut made.tct),
        (config.html_links, &mut made.html_links),
        (config.policy, &mut made.policy),
        (config.llms_txt, &mut made.llms_txt),
        (config.markdown, &mut made.markdown),
        (config.template, &mut made.template),
    ] {
        *made = wanted.unwrap_or(*made);
    }
    made.sitemap = match config.sitemap {
        Some(SitemapChoice::Switch(true)) => SitemapForm::Extended,
        Some(SitemapChoice::Switch(false)) => SitemapForm::Off,
        Some(SitemapChoice::Named(SitemapName::Separate)) => SitemapForm::Separate,
        None => made.sitemap,
    };
    if let Some(hosts) = &config.headers {
        made.hosts = hosts
            .iter()
            .map(|host| match host {
                HostName::Netlify => HostKind::Netlify,
                HostName::Cloudflare => HostKind::Cloudflare,
                HostName::Apache => HostKind::Apache,
                HostName::Nginx => HostKind::Nginx,
                HostName::Caddy => HostKind::Caddy,
            })
            .collect();
    }
}

/// Where the cache is: one for each site that is published from here.
fn cache(
    arguments: &Publish,
    settings: &Settings,
    source: &Path,
    out: &str,
    base: &BaseUrl,
) -> Option<PathBuf> {
    let given = arguments
        .cache
        .clone()
        .or_else(|| variable("SITECAST_CACHE").map(PathBuf::from))
        .or_else(|| settings.publish.cache.clone());
    let folder = given.or_else(usual_cache)?;
    let absolute = |path: &Path| {
        let found = path.canonicalize().or_else(|_| std::path::absolute(path));
        found
            .unwrap_or_else(|_| path.to_owned())
            .display()
            .to_string()
    };
    let out = if out.contains("://") {
        out.to_owned()
    } else {
        absolute(Path::new(out))
    };
    let site = format!("{}\n{out}\n{base}", absolute(source));
    let hash = sitecast_tct::ContentHash::of(site.as_bytes());
    let name: String = hash
        .bytes()
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    Some(folder.join("publish").join(name))
}
