/**
 * Traces for OpenTelemetry. Start at {@link io.csi4j.opentelemetry.CsiTracing}. Nothing here
 * decides or calls anything: it hears what listeners hear. Safe for use by many threads.
 */
@NullMarked
package io.csi4j.opentelemetry;

import org.jspecify.annotations.NullMarked;
