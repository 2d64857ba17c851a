/**
 * The cases of the conformance suite for plugins, on protobuf messages, so that requests can be
 * sent which the client would refuse. Start with {@link
 * io.csi4j.testkit.internal.conformance.Suite}.
 */
@NullMarked
package io.csi4j.testkit.internal.conformance;

import org.jspecify.annotations.NullMarked;
