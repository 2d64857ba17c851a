/**
 * The cases of the conformance suite for plugins, on protobuf messages, so that requests can be
 * sent which the client would refuse. Start with {@link
 * io.csi4j.conformance.internal.plugin.Suite}.
 */
@NullMarked
package io.csi4j.conformance.internal.plugin;

import org.jspecify.annotations.NullMarked;
