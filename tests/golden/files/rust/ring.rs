//! A ring buffer, only here to be parsed.
#![allow(dead_code)]

use std::{
    fmt::{self, Display as Show},
    sync::Arc,
};
use crate::slots::*;
pub(crate) use super::error::RingError as Error;

mod iter;
pub mod slots;

/// The most that a ring may hold.
pub const MAX: usize = 1 << 16;

/* Counts rings;
 * never reset. */
static COUNT: AtomicUsize = AtomicUsize::new(0);

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Items in the order they came.
///
/// # Examples
///
/// ```
/// let ring = Ring::new(3);
/// ```
#[derive(Debug, Clone)]
// The head is not part of equality.
#[repr(C)]
pub struct Ring<T: Clone, const N: usize = 8>
where
    T: Send,
{
    /// Where the next item goes.
    pub head: usize,
    slots: [Option<T>; N], // none is empty
}

pub struct Pair(pub u8, u8);

/// What can go wrong.
#[non_exhaustive]
pub enum Fault {
    /// No room.
    Full,
    Broken { at: usize },
    Other(Box<dyn std::error::Error>),
}

pub trait Drain: Sized {
    type Item;
    const STEP: usize = 1;

    /// Takes the next.
    fn drain(&mut self) -> Option<Self::Item>;

    fn drain_all(mut self) -> Vec<Self::Item> {
        let mut all = Vec::new();
        while let Some(item) = self.drain() {
            all.push(item);
        }
        all
    }
}

impl<T: Clone + Send, const N: usize> Ring<T, N> {
    /// An empty ring.
    #[must_use]
    pub fn new(size: usize) -> Self {
        fn check(size: usize) -> usize {
            size.min(MAX)
        }
        COUNT.fetch_add(1, Ordering::SeqCst);
        Self { head: check(size), slots: slots::empty() }
    }

    pub async unsafe fn push<'a>(&'a mut self, item: T) -> Result<()>
    where
        T: 'a,
    {
        self.slots[self.head] = Some(item);
        Ok(())
    }
}

impl<T, const N: usize> Drain for &mut crate::ring::Ring<T, N>
where
    T: Clone + Send,
{
    type Item = T;

    fn drain(&mut self) -> Option<T> {
        self.slots.iter_mut().find_map(Option::take)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "größe {}", iter::len::<u8>())
    }
}

/// Makes a ring of what is given.
#[macro_export]
macro_rules! ring {
    ($($x:expr),*) => { Ring::from([$($x),*]) };
}

thread_local! {
    static LOCAL: u8 = 1;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_what_came() {
        assert_eq!(ring![1, 2].len(), 2);
    }
}
