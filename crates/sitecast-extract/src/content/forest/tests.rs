use super::*;
use proptest::prelude::*;

/// What a forest says about rows, each of them so many numbers; the rest is said of the page.
fn ask(forest: &Forest, rows: &[Vec<f32>], page: &[f32]) -> Vec<f32> {
    let width = rows.first().map_or(0, Vec::len);
    let mut asking = Asking::new(forest, width, page);
    let mut found = Vec::new();
    for rows in rows.chunks(LANES) {
        let mut columns = vec![[0.0; LANES]; width];
        for (lane, row) in rows.iter().enumerate() {
            for (column, value) in columns.iter_mut().zip(row) {
                column[lane] = *value;
            }
        }
        let mut judged = vec![f32::NAN; rows.len()];
        asking.probabilities(&columns, rows.len(), |row, probability| {
            judged[row] = probability;
        });
        found.extend(judged);
    }
    found
}

fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

#[test]
fn trees_are_added_up() {
    let forest = Forest::parse("# two trees\n0,1.5,-1,1 1,0,-2,-3|-1 2 4\n|0.5\n").unwrap();
    let of = |row: &[f32]| {
        let found = ask(&forest, &[row.to_vec(), row.to_vec(), row.to_vec()], &[]);
        assert_eq!(found.len(), 3);
        assert!(found.iter().all(|one| *one == found[0]));
        if let Some((last, rest)) = row.split_last() {
            assert_eq!(ask(&forest, &[rest.to_vec()], &[*last]), found[..1]);
        }
        found[0]
    };
    // A tree without a question is its only leaf: node 0 is not there, so it says nothing.
    assert_eq!(of(&[1.0, 0.0]), logistic(-1.0));
    assert_eq!(of(&[2.0, 0.0]), logistic(2.0));
    assert_eq!(of(&[2.0, 0.1]), logistic(4.0));
    assert_eq!(of(&[]), logistic(-1.0));
    assert_eq!(of(&[2.0]), logistic(2.0));
    assert_eq!(of(&[f32::NAN, f32::NAN]), logistic(4.0));
    assert!(ask(&forest, &[], &[]).is_empty());
}

#[test]
fn what_is_no_forest_is_refused() {
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

/// A tree to walk.
#[derive(Debug, Clone)]
enum Tree {
    Leaf(f32),
    Question(u16, f32, Box<(Tree, Tree)>),
}

impl Tree {
    fn walk(&self, row: &[f32]) -> f32 {
        match self {
            Self::Leaf(leaf) => *leaf,
            Self::Question(feature, threshold, to) if row[usize::from(*feature)] <= *threshold => {
                to.0.walk(row)
            }
            Self::Question(_, _, to) => to.1.walk(row),
        }
    }

    /// Writes the tree as `training/train.py` does; says where it is.
    fn write(&self, questions: &mut Vec<String>, leaves: &mut Vec<String>) -> i64 {
        match self {
            Self::Leaf(leaf) => {
                leaves.push(leaf.to_string());
                -(leaves.len() as i64)
            }
            Self::Question(feature, threshold, to) => {
                let at = questions.len();
                questions.push(String::new());
                let (at_most, above) =
                    (to.0.write(questions, leaves), to.1.write(questions, leaves));
                questions[at] = format!("{feature},{threshold},{at_most},{above}");
                at as i64
            }
        }
    }
}

const FEATURES: usize = 6;

fn trees() -> impl Strategy<Value = Vec<Tree>> {
    let leaf = (-8i8..8).prop_map(|leaf| Tree::Leaf(f32::from(leaf) / 7.0));
    // More leaves than there are bits in a number, now and then.
    let tree = leaf.prop_recursive(10, 160, 2, |inner| {
        let question = (0..FEATURES as u16, -3i8..3, inner.clone(), inner);
        question.prop_map(|(feature, threshold, at_most, above)| {
            Tree::Question(feature, f32::from(threshold), Box::new((at_most, above)))
        })
    });
    let is_asked = |tree: &Tree| matches!(tree, Tree::Question(..));
    proptest::collection::vec(tree.prop_filter("a tree asks something", is_asked), 1..40)
}

fn rows() -> impl Strategy<Value = Vec<Vec<f32>>> {
    let value = (-7i8..7).prop_map(|value| f32::from(value) / 2.0);
    proptest::collection::vec(proptest::collection::vec(value, FEATURES), 1..80)
}

/// What trees say to whom walks them, as long as there is doubt.
fn walk(trees: &[Tree], row: &[f32]) -> f32 {
    let mut sum = 0.0f32;
    for trees in trees.chunks(TREES_AT_ONCE) {
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
    fn the_same_leaves_are_found_as_by_walking(trees in trees(), rows in rows(), width in 0..=FEATURES) {
        let written: String = trees.iter().map(|tree| {
            let (mut questions, mut leaves) = (Vec::new(), Vec::new());
            tree.write(&mut questions, &mut leaves);
            format!("{}|{}\n", questions.join(" "), leaves.join(" "))
        }).collect();
        let forest = Forest::parse(&written).unwrap();
        let page = rows[0][width..].to_vec();
        let of_rows: Vec<Vec<f32>> = rows.iter().map(|row| row[..width].to_vec()).collect();
        let found = ask(&forest, &of_rows, &page);
        for (row, found) in of_rows.into_iter().zip(found) {
            let whole = [row, page.clone()].concat();
            prop_assert_eq!(walk(&trees, &whole).to_bits(), found.to_bits());
        }
    }
}
