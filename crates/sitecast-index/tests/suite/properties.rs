//! Property test: an index behaves like its reference model under random merges.

use std::collections::BTreeMap;

use proptest::prelude::*;
use sitecast_index::{
    FolderIndex, Index, NewPage, Origin, OriginKind, Precedence, Quota, SiteId, Sweep,
};
use sitecast_scp::CollectionKind;

use crate::model::{Model, ModelPage};
use crate::support::{all, collection, line, site, time, url};

#[derive(Debug, Clone)]
enum From {
    Collection { section: usize, snapshot: bool },
    Tct,
    Html,
}

#[derive(Debug, Clone)]
enum Step {
    Put {
        page: u64,
        modified: i64,
        text: u8,
        long: bool,
        always: bool,
    },
    Keep(u64),
    Delete {
        page: u64,
        guarded: bool,
    },
    SweepSection,
    SweepSite,
    DeleteOlder(i64),
    Shrink(u64),
    Tally,
}

#[derive(Debug, Clone)]
struct MergePlan {
    site: usize,
    parts: Vec<(From, Vec<Step>)>,
    commit: bool,
    reopen: bool,
}

const SECTIONS: [&str; 2] = ["all", "blog"];

fn step() -> impl Strategy<Value = Step> {
    let put = (
        0_u64..12,
        0_i64..400,
        0_u8..4,
        prop::bool::weighted(0.05),
        any::<bool>(),
    )
        .prop_map(|(page, modified, text, long, always)| Step::Put {
            page,
            // Rounded, so that equal times occur.
            modified: modified / 40 * 40,
            text,
            long,
            always,
        });
    prop_oneof![
        12 => put,
        2 => (0_u64..12).prop_map(Step::Keep),
        2 => (0_u64..12, any::<bool>()).prop_map(|(page, guarded)| Step::Delete { page, guarded }),
        1 => Just(Step::SweepSection),
        1 => Just(Step::SweepSite),
        1 => (0_i64..400).prop_map(Step::DeleteOlder),
        1 => (3_u64..12).prop_map(Step::Shrink),
        1 => Just(Step::Tally),
    ]
}

fn plan() -> impl Strategy<Value = MergePlan> {
    let from = prop_oneof![
        4 => (0_usize..2, any::<bool>()).prop_map(|(section, snapshot)| From::Collection { section, snapshot }),
        1 => Just(From::Tct),
        1 => Just(From::Html),
    ];
    let part = (from, prop::collection::vec(step(), 0..20));
    (
        0_usize..2,
        prop::collection::vec(part, 1..4),
        prop::bool::weighted(0.8),
        prop::bool::weighted(0.3),
    )
        .prop_map(|(site, parts, commit, reopen)| MergePlan {
            site,
            parts,
            commit,
            reopen,
        })
}

fn sites() -> [SiteId; 2] {
    [
        site("https://example.com"),
        site("https://example.org/docs"),
    ]
}

/// Runs a merge on the index and on the model, and compares their results.
fn run(index: &FolderIndex, model: &mut Model, plan: &MergePlan, clock: &mut i64) {
    let mut merge = index.begin(&sites()[plan.site]).unwrap();
    model.begin();
    for (from, steps) in &plan.parts {
        *clock += 10;
        let now = time(*clock);
        let (origin, kind, section) = match from {
            From::Collection { section, snapshot } => {
                let kind = if *snapshot {
                    CollectionKind::Snapshot
                } else {
                    CollectionKind::Delta { since: time(0) }
                };
                let section = SECTIONS[*section];
                let collection = collection(section, *clock, kind);
                (Origin::Scp(collection), OriginKind::Scp, Some(section))
            }
            From::Tct => (Origin::Tct, OriginKind::Tct, None),
            From::Html => (Origin::Html, OriginKind::Html, None),
        };
        let collection = match &origin {
            Origin::Scp(collection) => Some(collection.url.clone()),
            _ => None,
        };
        merge.origin(origin).unwrap();
        for step in steps {
            match step {
                Step::Put {
                    page,
                    modified,
                    text,
                    long,
                    always,
                } => {
                    let url = url(*page);
                    let text = text.to_string().repeat(if *long { 200_000 } else { 30 });
                    let line = line(&url, time(*modified), &text);
                    let etag = (kind == OriginKind::Tct).then_some("\"sha256-x\"");
                    let precedence = match (*always, from) {
                        (true, _) => Precedence::Always,
                        (_, From::Collection { snapshot: true, .. }) => Precedence::NotOlder,
                        _ => Precedence::Later,
                    };
                    merge
                        .put(&NewPage {
                            url: &url,
                            line: &line,
                            modified: time(*modified),
                            language: "en",
                            fingerprint: None,
                            etag,
                            fetched: now,
                            precedence,
                        })
                        .unwrap();
                    let page = ModelPage {
                        line,
                        modified: time(*modified),
                        fetched: now,
                        origin: kind,
                        collection: collection.clone(),
                        sections: section.map(str::to_owned).into_iter().collect(),
                        etag: etag.map(str::to_owned),
                        seen: now,
                    };
                    model.put(&url, page, precedence);
                }
                Step::Keep(page) => {
                    merge.keep(&url(*page)).unwrap();
                    model.keep(&url(*page));
                }
                Step::Delete { page, guarded } => {
                    let unless_after = guarded.then(|| time(*clock - 10));
                    merge.delete(&url(*page), unless_after).unwrap();
                    model.delete(&url(*page), section, unless_after);
                }
                Step::SweepSection => {
                    let Some(section) = section else { continue };
                    let sweep = Sweep::section(section.parse().unwrap(), now);
                    let would = merge.unnamed(&sweep).unwrap();
                    assert_eq!(merge.delete_unnamed(&sweep).unwrap(), would);
                    assert_eq!(model.sweep(Some(section), now), would);
                }
                Step::SweepSite => {
                    let sweep = Sweep::site(time(*clock - 10));
                    let would = merge.unnamed(&sweep).unwrap();
                    assert_eq!(merge.delete_unnamed(&sweep).unwrap(), would);
                    assert_eq!(model.sweep(None, time(*clock - 10)), would);
                }
                Step::DeleteOlder(n) => {
                    let deleted = merge.delete_older(time(*n)).unwrap();
                    assert_eq!(deleted, model.delete_older(time(*n)));
                }
                Step::Shrink(most) => {
                    let quota = Quota {
                        pages: Some(*most),
                        bytes: None,
                    };
                    assert_eq!(merge.shrink_to(&quota).unwrap(), model.shrink_to(*most));
                }
                Step::Tally => assert_eq!(merge.tally().unwrap(), model.tally()),
            }
        }
    }
    if plan.commit {
        assert_eq!(merge.commit().unwrap(), model.tally());
    }
}

/// Asserts that the index has the models' pages in their order, and consistent counts of live bytes.
fn compare(index: &FolderIndex, models: &[Model; 2]) {
    let held: Vec<(SiteId, String, ModelPage)> = all(index)
        .into_iter()
        .map(|page| {
            let facts = page.facts;
            assert_eq!(facts.bytes, page.line.len() as u64);
            let seen = facts.fetched;
            let page_of_model = ModelPage {
                line: page.line,
                modified: facts.modified,
                fetched: facts.fetched,
                origin: facts.origin,
                collection: facts.collection,
                sections: facts.sections.into_iter().collect(),
                etag: facts.etag,
                seen,
            };
            (page.site, page.url, page_of_model)
        })
        .collect();
    let wanted: Vec<(SiteId, String, ModelPage)> = sites()
        .iter()
        .zip(models)
        .flat_map(|(site, model)| {
            let pages: BTreeMap<String, ModelPage> = model.pages.clone();
            pages
                .into_iter()
                .map(|(url, page)| (site.clone(), url, page))
        })
        .collect();
    assert_eq!(held, wanted);
    for (site, model) in sites().iter().zip(models) {
        for n in 0..12 {
            let found = index.page(site, &url(n)).unwrap().map(|page| page.line);
            let wanted = model.pages.get(&url(n)).map(|page| page.line.clone());
            assert_eq!(found, wanted);
        }
    }
    let database = rusqlite::Connection::open(index.folder().join("index.sqlite")).unwrap();
    let number = |sql: &str| {
        database
            .query_row(sql, [], |row| row.get::<_, i64>(0))
            .unwrap()
    };
    assert_eq!(
        number("SELECT coalesce(sum(live), 0) FROM block_use"),
        number("SELECT coalesce(sum(length), 0) FROM pages")
    );
    // No block is less than half live, and no block lacks its data or its count.
    assert_eq!(
        number("SELECT count(*) FROM block_use WHERE live * 2 < total OR live = 0"),
        0
    );
    assert_eq!(
        number("SELECT count(*) FROM block_use"),
        number("SELECT count(*) FROM blocks")
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn index_behaves_like_a_map_across_reopening(plans in prop::collection::vec(plan(), 1..8)) {
        let folder = tempfile::tempdir().unwrap();
        let mut index = FolderIndex::open(folder.path()).unwrap();
        let mut models = [Model::default(), Model::default()];
        let mut clock = 100;
        for plan in plans {
            let mut changed = models[plan.site].clone();
            run(&index, &mut changed, &plan, &mut clock);
            if plan.commit {
                models[plan.site] = changed;
            }
            if plan.reopen {
                drop(index);
                index = FolderIndex::open_existing(folder.path()).unwrap();
            }
            compare(&index, &models);
        }
    }
}
