/**
 * Metrics for Micrometer. Start at {@link io.csi4j.micrometer.CsiMetrics}; the names and tags of
 * all meters are in {@code CsiMeter}. This package makes no decisions and sends no calls. It only
 * listens to events, and reads the state of managers and registries. Safe for use by many threads.
 */
@NullMarked
package io.csi4j.micrometer;

import org.jspecify.annotations.NullMarked;
