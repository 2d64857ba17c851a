/**
 * The hidden records behind the requests and results of the API.
 *
 * <p>Start at {@code ControllerRequests}. They hold and print; they check nothing. Not exported.
 */
@NullMarked
package io.csi4j.client.internal.values;

import org.jspecify.annotations.NullMarked;
