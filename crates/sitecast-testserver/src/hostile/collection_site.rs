use crate::{Answer, Request};

/// A site with one collection, whose file the caller serves.
#[derive(Debug, Clone, Default)]
pub struct CollectionSite {
    /// The size in bytes that the sitemap states, if any.
    pub size: Option<u64>,
}

impl CollectionSite {
    /// The path of the collection.
    pub const COLLECTION: &'static str = "/scp/all.scp.zst";

    /// Answers all requests except those for the collection, for which it returns `None`.
    pub fn answer(&self, request: &Request) -> Option<Answer> {
        match request.path.as_str() {
            Self::COLLECTION => None,
            "/sitemap.xml" => Some(Answer::text(200, self.sitemap(request))),
            _ => Some(Answer::status(404)),
        }
    }

    fn sitemap(&self, request: &Request) -> String {
        let host = request.header("host").unwrap_or_default();
        let size = self
            .size
            .map_or_else(String::new, |size| format!("size=\"{size}\""));
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\
             <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" \
             xmlns:scp=\"https://scp-protocol.org/schemas/sitemap/1.0\">\
             <scp:version>0.1</scp:version>\
             <scp:collection section=\"all\" type=\"snapshot\" url=\"http://{host}{}\" \
             generated=\"2026-01-05T10:00:00Z\" expires=\"2099-01-01T00:00:00Z\" pages=\"5\" {size}/>\
             </urlset>",
            Self::COLLECTION
        )
    }
}
