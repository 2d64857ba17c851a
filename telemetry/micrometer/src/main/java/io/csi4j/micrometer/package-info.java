/**
 * Metrics for Micrometer. Start at {@link io.csi4j.micrometer.CsiMetrics}; the names and tags of
 * all meters are in {@code CsiMeter}. Nothing here decides or calls anything: it hears what
 * listeners hear, and looks at what a manager and a registry show. Safe for use by many threads.
 */
@NullMarked
package io.csi4j.micrometer;

import org.jspecify.annotations.NullMarked;
