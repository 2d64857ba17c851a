/**
 * Calls with protobuf messages, for the testkit, whose requests cannot all be expressed by the
 * typed API. Nothing in this package is API.
 */
@NullMarked
package io.csi4j.client.internal.message;

import org.jspecify.annotations.NullMarked;
