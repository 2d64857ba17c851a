/**
 * Converts between the values of the API and the protobuf messages: requests, answers, and the
 * faults of answers. Also contains the non-exported records that implement results.
 *
 * <p>Start at {@code ControllerAnswerMapping}. Only classes with names that end in {@code Mapping}
 * may call {@code reveal} on secrets. Not exported.
 */
@NullMarked
package io.csi4j.client.internal.mapping;

import org.jspecify.annotations.NullMarked;
