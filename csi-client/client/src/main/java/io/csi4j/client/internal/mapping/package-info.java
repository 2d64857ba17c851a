/**
 * Conversion between the values of the API and the messages of the wire: requests, answers, and the
 * faults of answers; also the hidden records that implement results.
 *
 * <p>Start at {@code ControllerAnswerMapping}. Only the classes called Mapping may reveal secrets.
 * Not exported.
 */
@NullMarked
package io.csi4j.client.internal.mapping;

import org.jspecify.annotations.NullMarked;
