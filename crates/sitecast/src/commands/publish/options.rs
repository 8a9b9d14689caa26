use std::path::{Path, PathBuf};

use sitecast_publish::{BaseUrl, HostKind, Options, Section};
use sitecast_scp::Compression;

use crate::cli::Publish;
use crate::config::{CompressionName, HostName};
use crate::failure::{Exit, Failure};
use crate::settings::{Settings, variable};

/// Flags over `sitecast.toml` over what is usual.
pub(super) fn build(
    arguments: &Publish,
    settings: &Settings,
    base: BaseUrl,
    source: &Path,
    out: &str,
) -> Result<Options, Failure> {
    let config = &settings.publish;
    let mut options = Options::new(base);
    options.sections = sections(settings)?;
    options.exclude = [config.exclude.clone(), arguments.exclude.clone()].concat();
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
        if options
            .collections
            .parse::<sitecast_storage::StorePath>()
            .is_err()
        {
            return Err(wrong("`publish.collections` is not the name of a folder"));
        }
    }
    if let Some(url) = &config.collections_url {
        let parsed = url::Url::parse(url).ok();
        let usable = parsed.filter(|url| matches!(url.scheme(), "http" | "https"));
        options.collections_url =
            Some(usable.ok_or_else(|| wrong("`publish.collections_url` is not a URL"))?);
    }
    if let Some(share) = config.delta_share {
        if !(share > 0.0 && share.is_finite()) {
            return Err(wrong("`publish.delta_share` is not a share such as 0.5"));
        }
        options.delta_share = share;
    }
    artefacts(settings, &mut options);
    options.policy.clone_from(&settings.policy);
    options.full = arguments.full;
    options.dry_run = arguments.dry_run;
    options.mass_deletion = arguments.allow_deletions;
    options.limits = settings.limits().clone();
    options.extract_limits = settings.extractor().limits;
    if !arguments.no_cache {
        options.cache = cache(arguments, settings, source, out, &options.base);
    }
    Ok(options)
}

fn sections(settings: &Settings) -> Result<Vec<Section>, Failure> {
    let config = &settings.publish;
    let mut sections = Vec::new();
    if config.all.unwrap_or(true) && !config.sections.contains_key("all") {
        sections.push(Section::all());
    }
    for (name, section) in &config.sections {
        let frequency = section.update_freq.as_deref().unwrap_or("daily");
        sections.push(Section {
            name: name.parse().map_err(|_| {
                wrong(&format!(
                    "a section is called `{name}`, and may have letters, digits, `-` and `_` in its name"
                ))
            })?,
            paths: section.paths.clone(),
            update_frequency: frequency.parse().map_err(|_| {
                wrong(&format!(
                    "`update_freq` of section `{name}` is `{frequency}`, and can be `hourly`, `daily`, `weekly` or `monthly`"
                ))
            })?,
        });
    }
    Ok(sections)
}

fn artefacts(settings: &Settings, options: &mut Options) {
    let config = &settings.publish.artefacts;
    let made = &mut options.artefacts;
    for (wanted, made) in [
        (config.sitemap, &mut made.sitemap),
        (config.robots_txt, &mut made.robots_txt),
        (config.tct, &mut made.tct),
        (config.html_links, &mut made.html_links),
        (config.policy, &mut made.policy),
        (config.llms_txt, &mut made.llms_txt),
        (config.markdown, &mut made.markdown),
    ] {
        *made = wanted.unwrap_or(*made);
    }
    if let Some(hosts) = &config.headers {
        made.hosts = hosts
            .iter()
            .map(|host| match host {
                HostName::Netlify => HostKind::Netlify,
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
    let folder = given.or_else(|| {
        let home = || variable("HOME").map(|home| PathBuf::from(home).join(".cache"));
        let usual = variable("XDG_CACHE_HOME").map(PathBuf::from).or_else(home);
        usual.map(|folder| folder.join("sitecast"))
    })?;
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

fn wrong(problem: &str) -> Failure {
    Failure::new(Exit::Usage, problem).hint("docs/publishing.md lists all settings")
}
