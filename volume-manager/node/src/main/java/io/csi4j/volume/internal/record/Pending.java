package io.csi4j.volume.internal.record;

/**
 * A call that the plugin may still be working on.
 *
 * @param verb the call
 * @param instance the process of the plugin that received the call; empty if it is not known
 */
public record Pending(Verb verb, String instance) {}
