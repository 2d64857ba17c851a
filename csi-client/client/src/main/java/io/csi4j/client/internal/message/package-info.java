/**
 * Calls with protobuf messages. The testkit uses them for requests that the typed API cannot
 * express. Nothing in this package is API.
 */
@NullMarked
package io.csi4j.client.internal.message;

import org.jspecify.annotations.NullMarked;
