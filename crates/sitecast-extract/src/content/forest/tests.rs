use super::*;
use proptest::prelude::*;

/// Scores rows with a forest; `page` holds the features after those of a row.
fn score(forest: &Forest, rows: &[Vec<f32>], page: &[f32]) -> Vec<f32> {
    let width = rows.first().map_or(0, Vec::len);
    let mut scorer = Scorer::new(forest, width, page);
    let mut found = Vec::new();
    for rows in rows.chunks(LANES) {
        let mut columns = vec![[0.0; LANES]; width];
        for (lane, row) in rows.iter().enumerate() {
            for (column, value) in columns.iter_mut().zip(row) {
                column[lane] = *value;
            }
        }
        let mut scores = vec![f32::NAN; rows.len()];
        scorer.probabilities(&columns, rows.len(), |row, probability| {
            scores[row] = probability;
        });
        found.extend(scores);
    }
    found
}

fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

#[test]
fn adds_up_trees() {
    let forest = Forest::parse("# two trees\n0,1.5,-1,1 1,0,-2,-3|-1 2 4\n|0.5\n").unwrap();
    let of = |row: &[f32]| {
        let found = score(&forest, &[row.to_vec(), row.to_vec(), row.to_vec()], &[]);
        assert_eq!(found.len(), 3);
        assert!(found.iter().all(|one| *one == found[0]));
        if let Some((last, rest)) = row.split_last() {
            assert_eq!(score(&forest, &[rest.to_vec()], &[*last]), found[..1]);
        }
        found[0]
    };
    // A tree without nodes: node 0 does not exist, so its result is 0.
    assert_eq!(of(&[1.0, 0.0]), logistic(-1.0));
    assert_eq!(of(&[2.0, 0.0]), logistic(2.0));
    assert_eq!(of(&[2.0, 0.1]), logistic(4.0));
    assert_eq!(of(&[]), logistic(-1.0));
    assert_eq!(of(&[2.0]), logistic(2.0));
    assert_eq!(of(&[f32::NAN, f32::NAN]), logistic(4.0));
    assert!(score(&forest, &[], &[]).is_empty());
}

#[test]
fn rejects_malformed_forests() {
    for text in [
        "1,2,3",
        "x,1,1,1|1",
        "0,1,-1|1 2",
        "0,1,-1,-2|x",
        "0,1,0,-1|1",
        "0,1,-1,0|1",
        "0,nan,-1,-2|1 2",
    ] {
        assert_eq!(Forest::parse(text).err(), Some(1), "{text}");
    }
}

/// A tree for the reference implementation.
#[derive(Debug, Clone)]
enum Tree {
    Leaf(f32),
    Node(u16, f32, Box<(Tree, Tree)>),
}

impl Tree {
    fn walk(&self, row: &[f32]) -> f32 {
        match self {
            Self::Leaf(leaf) => *leaf,
            Self::Node(feature, threshold, to) if row[usize::from(*feature)] <= *threshold => {
                to.0.walk(row)
            }
            Self::Node(_, _, to) => to.1.walk(row),
        }
    }

    /// Writes the tree like `training/train.py`, and returns its index.
    fn write(&self, nodes: &mut Vec<String>, leaves: &mut Vec<String>) -> i64 {
        match self {
            Self::Leaf(leaf) => {
                leaves.push(leaf.to_string());
                -(leaves.len() as i64)
            }
            Self::Node(feature, threshold, to) => {
                let at = nodes.len();
                nodes.push(String::new());
                let (at_most, above) = (to.0.write(nodes, leaves), to.1.write(nodes, leaves));
                nodes[at] = format!("{feature},{threshold},{at_most},{above}");
                at as i64
            }
        }
    }
}

const FEATURES: usize = 6;

fn trees() -> impl Strategy<Value = Vec<Tree>> {
    let leaf = (-8i8..8).prop_map(|leaf| Tree::Leaf(f32::from(leaf) / 7.0));
    // Sometimes with more leaves than a mask has bits.
    let tree = leaf.prop_recursive(10, 160, 2, |inner| {
        let node = (0..FEATURES as u16, -3i8..3, inner.clone(), inner);
        node.prop_map(|(feature, threshold, at_most, above)| {
            Tree::Node(feature, f32::from(threshold), Box::new((at_most, above)))
        })
    });
    let has_node = |tree: &Tree| matches!(tree, Tree::Node(..));
    proptest::collection::vec(tree.prop_filter("a tree has a node", has_node), 1..40)
}

fn rows() -> impl Strategy<Value = Vec<Vec<f32>>> {
    let value = (-7i8..7).prop_map(|value| f32::from(value) / 2.0);
    proptest::collection::vec(proptest::collection::vec(value, FEATURES), 1..80)
}

/// Reference implementation: walks the trees until the result is certain.
fn walk(trees: &[Tree], row: &[f32]) -> f32 {
    let mut sum = 0.0f32;
    for trees in trees.chunks(TREES_PER_STAGE) {
        for tree in trees {
            sum += tree.walk(row);
        }
        if sum.abs() > 4.0 {
            break;
        }
    }
    logistic(sum)
}

proptest! {
    #[test]
    fn matches_walking_the_trees(trees in trees(), rows in rows(), width in 0..=FEATURES) {
        let written: String = trees.iter().map(|tree| {
            let (mut nodes, mut leaves) = (Vec::new(), Vec::new());
            tree.write(&mut nodes, &mut leaves);
            format!("{}|{}\n", nodes.join(" "), leaves.join(" "))
        }).collect();
        let forest = Forest::parse(&written).unwrap();
        let page = rows[0][width..].to_vec();
        let of_rows: Vec<Vec<f32>> = rows.iter().map(|row| row[..width].to_vec()).collect();
        let found = score(&forest, &of_rows, &page);
        for (row, found) in of_rows.into_iter().zip(found) {
            let whole = [row, page.clone()].concat();
            prop_assert_eq!(walk(&trees, &whole).to_bits(), found.to_bits());
        }
    }
}
