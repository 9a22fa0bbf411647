//! How finely a time is told.

/// The unit that a time is told in, the finest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Grain {
    /// 8:30.
    Minute,
    /// 8点, 5pm.
    Hour,
    /// A morning, an evening, a night.
    PartOfDay,
    /// A day.
    Day,
    /// Several days that belong together: a weekend, a feast, "the last three days".
    Days,
    /// A week, Monday to Sunday.
    Week,
    /// A month.
    Month,
    /// A season or a quarter: three months.
    Season,
    /// A year, or half of one.
    Year,
    /// Ten years.
    Decade,
    /// A hundred years.
    Century,
}
