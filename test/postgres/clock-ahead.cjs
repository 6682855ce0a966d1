// Required by a node whose clock is to be an hour ahead of all others.
const HOUR_MS = 3_600_000;
const now = Date.now;
Date.now = () => now() + HOUR_MS;
