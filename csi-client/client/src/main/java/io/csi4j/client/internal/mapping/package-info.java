/**
 * Between the values of the API and the messages of the wire: requests out, answers in, and what
 * can be wrong with an answer; the hidden records behind results.
 *
 * <p>Start at {@code ControllerAnswerMapping}. Only the classes called Mapping may reveal secrets.
 * Not exported.
 */
@NullMarked
package io.csi4j.client.internal.mapping;

import org.jspecify.annotations.NullMarked;
