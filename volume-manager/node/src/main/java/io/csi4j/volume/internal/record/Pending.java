package io.csi4j.volume.internal.record;

/**
 * A call that the plugin may still be working on.
 *
 * @param verb which
 * @param instance the process of the plugin that got it, as far as it is known; else empty
 */
public record Pending(Verb verb, String instance) {}
