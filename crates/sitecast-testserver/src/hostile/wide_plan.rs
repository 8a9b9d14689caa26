use super::gzipped_xml;
use crate::{Answer, Request};

/// A site whose sitemap names an excessive number of sections and collections.
#[derive(Debug, Clone)]
pub struct WidePlan {
    /// The base URL of the server: `http://127.0.0.1:8080`.
    pub base: String,
    /// Collections that the sitemap names. None of them exists.
    pub collections: usize,
    /// Sections of those collections.
    pub sections: usize,
    /// Sections that the sitemap declares.
    pub declared: usize,
}

impl WidePlan {
    /// Answers a request.
    pub fn answer(&self, request: &Request) -> Answer {
        if request.path != "/sitemap.xml" {
            return Answer::text(404, "nothing here");
        }
        let declared = (0..self.declared)
            .map(|n| format!("<scp:section name=\"s{n}\" updateFreq=\"daily\" pages=\"{n}\"/>"));
        let collections = (0..self.collections).map(|n| {
            format!(
                "<scp:collection section=\"s{}\" type=\"snapshot\" url=\"{}/{n}.scp.gz\" \
                 generated=\"2025-01-15T00:00:00Z\" expires=\"2099-01-15T00:00:00Z\" pages=\"{n}\" size=\"1000\"/>",
                n % self.sections.max(1),
                self.base
            )
        });
        gzipped_xml(&format!(
            "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" \
             xmlns:scp=\"https://scp-protocol.org/schemas/sitemap/1.0\"><scp:version>0.1</scp:version>{}{}</urlset>",
            declared.collect::<String>(),
            collections.collect::<String>()
        ))
    }
}
