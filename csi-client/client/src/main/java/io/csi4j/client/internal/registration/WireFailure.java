package io.csi4j.client.internal.registration;

import io.csi4j.client.model.StatusCode;

/**
 * The status that a call ended with.
 *
 * @param code the code of the status
 * @param text the description of the status as it was received; may be empty
 * @param unreadable true if the client created the status from an exception, for example because an
 *     answer could not be parsed
 * @param cause the exception that carried the status
 */
public record WireFailure(StatusCode code, String text, boolean unreadable, Throwable cause) {}
