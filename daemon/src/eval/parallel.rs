//! Doing the same with many things on several threads.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Does `work` with every item on at most `workers` threads. The results come in the order of the items, whoever was first.
///
/// # Panics
///
/// Where `work` does.
pub(in crate::eval) fn in_parallel<T: Sync, R: Send>(
    items: &[T],
    workers: NonZeroUsize,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut done = Vec::new();
        while let Some((place, item)) = take(items, &next) {
            done.push((place, work(item)));
        }
        done
    };
    let mut done: Vec<(usize, R)> = thread::scope(|scope| {
        let threads: Vec<_> = (0..workers.get().min(items.len()))
            .map(|_| scope.spawn(worker))
            .collect();
        threads
            .into_iter()
            .flat_map(|thread| {
                thread
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            })
            .collect()
    });
    done.sort_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, result)| result).collect()
}

fn take<'a, T>(items: &'a [T], next: &AtomicUsize) -> Option<(usize, &'a T)> {
    let place = next.fetch_add(1, Ordering::Relaxed);
    items.get(place).map(|item| (place, item))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let items: Vec<usize> = (0..100).collect();
        for workers in [1, 3, 200] {
            let workers = NonZeroUsize::new(workers).unwrap();
            let squares = in_parallel(&items, workers, |item| item * item);
            assert_eq!(
                squares,
                items.iter().map(|item| item * item).collect::<Vec<_>>()
            );
        }
        let nothing = in_parallel(&[] as &[usize], NonZeroUsize::MIN, |item| *item);
        assert!(nothing.is_empty());
    }
}
