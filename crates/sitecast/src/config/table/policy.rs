use crate::config::kind::Kind;
use crate::config::setting::{Setting, Table, Usual};

const NOTHING: Usual = Usual::Words("nothing is said");

pub(super) const TABLES: &[Table] = &[
    Table {
        key: "policy",
        about: "What you allow and ask for, published as `llm-policy.json`. Without this table it only says that collections are better than single pages.",
        presence_counts: true,
        settings: &[
            Setting::new(
                "version",
                Kind::Whole {
                    from: 1,
                    to: u32::MAX as u64,
                },
                Usual::Value("1"),
                "The number of this revision.",
                "2",
            ),
            Setting::new(
                "effective",
                Kind::Time,
                NOTHING,
                "When it took effect.",
                "\"2025-01-15T10:00:00Z\"",
            ),
            Setting::new(
                "updated",
                Kind::Time,
                NOTHING,
                "When it last changed.",
                "\"2025-10-15T12:00:00Z\"",
            ),
        ],
    },
    Table {
        key: "policy.policy_urls",
        about: "Documents for people.",
        presence_counts: true,
        settings: &[
            Setting::new(
                "terms_of_service",
                Kind::Link,
                NOTHING,
                "The terms of service.",
                "\"https://example.com/terms/\"",
            ),
            Setting::new(
                "payment_info",
                Kind::Link,
                NOTHING,
                "What access costs.",
                "\"https://example.com/licensing/\"",
            ),
            Setting::new(
                "contact",
                Kind::Link,
                NOTHING,
                "Whom to ask.",
                "\"https://example.com/contact/\"",
            ),
        ],
    },
    Table {
        key: "policy.purposes",
        about: "What content may be used for. What is not said is neither allowed nor forbidden.",
        presence_counts: true,
        settings: &[
            Setting::new(
                "allow_ai_input",
                Kind::Switch,
                NOTHING,
                "As input of an AI: retrieval, context.",
                "true",
            ),
            Setting::new(
                "allow_ai_train",
                Kind::Switch,
                NOTHING,
                "For training models.",
                "false",
            ),
            Setting::new(
                "allow_search_indexing",
                Kind::Switch,
                NOTHING,
                "For a search index.",
                "true",
            ),
        ],
    },
    Table {
        key: "policy.requirements",
        about: "What whoever uses content has to do.",
        presence_counts: true,
        settings: &[
            Setting::new(
                "attribution_required",
                Kind::Switch,
                NOTHING,
                "Name the publisher.",
                "true",
            ),
            Setting::new(
                "link_back_required",
                Kind::Switch,
                NOTHING,
                "Link to the page.",
                "true",
            ),
            Setting::new(
                "notice_required",
                Kind::Switch,
                NOTHING,
                "Tell the publisher of commercial use.",
                "false",
            ),
        ],
    },
    Table {
        key: "policy.rate_hints",
        about: "How fast to fetch. It is advice.",
        presence_counts: true,
        settings: &[
            Setting::new(
                "max_requests_per_second",
                Kind::Positive,
                NOTHING,
                "Requests in a second.",
                "2",
            ),
            Setting::new(
                "max_requests_per_day",
                Kind::Whole {
                    from: 0,
                    to: u32::MAX as u64,
                },
                NOTHING,
                "Requests in a day.",
                "10_000",
            ),
            Setting::new(
                "note",
                Kind::Text,
                NOTHING,
                "What else there is to say.",
                "\"Collections are cheaper for both of us.\"",
            ),
        ],
    },
];
