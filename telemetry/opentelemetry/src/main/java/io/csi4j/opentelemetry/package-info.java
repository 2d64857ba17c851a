/**
 * Traces for OpenTelemetry. Start at {@link io.csi4j.opentelemetry.CsiTracing}. This package makes
 * no decisions and sends no calls; it only listens to events. Safe for use by many threads.
 */
@NullMarked
package io.csi4j.opentelemetry;

import org.jspecify.annotations.NullMarked;
