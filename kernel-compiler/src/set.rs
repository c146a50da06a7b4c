//! A set of few elements.

use std::fmt;

/// A set as a sorted vector. The sets of a kernel have few elements, for which it is faster than a tree, and takes a fraction
/// of the tree's time to compile.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Set<T>(Vec<T>);

impl<T: Ord> Set<T> {
    /// Returns the empty set.
    pub(crate) const fn new() -> Set<T> {
        Set(Vec::new())
    }

    /// Adds an element. Returns whether it was not in the set before.
    pub(crate) fn insert(&mut self, element: T) -> bool {
        match self.0.binary_search(&element) {
            Ok(_) => false,
            Err(at) => {
                self.0.insert(at, element);
                true
            }
        }
    }

    /// Removes an element. Returns whether it was in the set.
    pub(crate) fn remove(&mut self, element: &T) -> bool {
        match self.0.binary_search(element) {
            Ok(at) => {
                self.0.remove(at);
                true
            }
            Err(_) => false,
        }
    }

    /// Returns whether an element is in the set.
    pub(crate) fn contains(&self, element: &T) -> bool {
        self.0.binary_search(element).is_ok()
    }
}

impl<T> Set<T> {
    /// Returns the number of elements.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there is no element.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the elements in ascending order.
    pub(crate) fn iter(&self) -> std::slice::Iter<'_, T> {
        self.0.iter()
    }
}

impl<T> Default for Set<T> {
    fn default() -> Self {
        Set(Vec::new())
    }
}

impl<T: fmt::Debug> fmt::Debug for Set<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(&self.0).finish()
    }
}

impl<T: Ord> Extend<T> for Set<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, elements: I) {
        for element in elements {
            self.insert(element);
        }
    }
}

impl<'a, T: Ord + Copy + 'a> Extend<&'a T> for Set<T> {
    fn extend<I: IntoIterator<Item = &'a T>>(&mut self, elements: I) {
        self.extend(elements.into_iter().copied());
    }
}

impl<T: Ord> FromIterator<T> for Set<T> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        let mut set = Set::new();
        set.extend(elements);
        set
    }
}

impl<T: Ord, const N: usize> From<[T; N]> for Set<T> {
    fn from(elements: [T; N]) -> Self {
        elements.into_iter().collect()
    }
}

impl<T> IntoIterator for Set<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a, T> IntoIterator for &'a Set<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_sorted_and_has_each_element_once() {
        let mut set = Set::from([3, 1, 2, 3]);
        assert_eq!(set.iter().copied().collect::<Vec<_>>(), [1, 2, 3]);
        assert!(!set.insert(2) && set.insert(0) && set.remove(&3) && !set.remove(&3));
        assert_eq!((set.len(), set.contains(&0), set.contains(&3)), (3, true, false));
    }
}
