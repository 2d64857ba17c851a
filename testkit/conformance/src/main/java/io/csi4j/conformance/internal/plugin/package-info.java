/**
 * The cases of the conformance suite for plugins. Start with {@link
 * io.csi4j.conformance.internal.plugin.Suite}. The cases use protobuf messages, so that they can
 * send requests that the client would refuse.
 */
@NullMarked
package io.csi4j.conformance.internal.plugin;

import org.jspecify.annotations.NullMarked;
