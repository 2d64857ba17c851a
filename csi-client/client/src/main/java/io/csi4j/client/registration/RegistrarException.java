package io.csi4j.client.registration;

import io.csi4j.client.internal.text.OwnFrames;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiFailure;
import io.csi4j.client.model.StatusCode;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when a call to a registrar fails.
 *
 * @since 1.0
 */
public final class RegistrarException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final transient CsiFailure failure;
  private final Call call;
  private final Reason reason;

  /** The calls of the protocol. */
  public enum Call {
    /** The request for the announcement. */
    GET_INFO("GetInfo", "Getting the announcement of the registrar at %s"),
    /** The notification of the registration status. */
    NOTIFY_REGISTRATION_STATUS(
        "NotifyRegistrationStatus", "Notifying the registrar at %s of the registration status");

    private final String rpc;
    private final String phrase;

    Call(String rpc, String phrase) {
      this.rpc = rpc;
      this.phrase = phrase;
    }

    /** The name of the call in the protocol. */
    public String rpcName() {
      return rpc;
    }
  }

  /** The reasons why a call can fail. */
  public enum Reason {
    /** The registrar did not answer in time. */
    NO_ANSWER,
    /** The registrar ended, or closed the connection. */
    LOST,
    /** The listener does not serve plugin registration. */
    NOT_A_REGISTRAR,
    /** The registrar answered with an error. */
    FAILED,
    /** The answer is too large, or is not a valid answer. */
    UNUSABLE_ANSWER,
    /** The waiting thread was interrupted. The client has set its interrupt flag again. */
    INTERRUPTED,
    /** The caller cancelled the call. */
    CANCELLED,
    /** The host closed the connection. */
    CLOSED
  }

  /** A failure of this call for this reason. */
  public RegistrarException(
      CsiFailure failure, Call call, Reason reason, @Nullable Throwable cause) {
    super(message(failure, call), cause);
    this.failure = failure;
    OwnFrames.keep(this);
    this.call = call;
    this.reason = reason;
  }

  private static String message(CsiFailure failure, Call call) {
    return String.format(call.phrase, failure.endpoint())
        + " failed: "
        + failure.why()
        + " ("
        + failure.code()
        + ")"
        + failure.pluginText().map(text -> "; it says: \"" + text + "\"").orElse("")
        + ". "
        + failure.advice()
        + " ["
        + call.rpc
        + ", "
        + failure.endpoint()
        + ", "
        + failure.elapsed().toMillis()
        + " ms]";
  }

  /** The failed call. */
  public Call call() {
    return call;
  }

  /** The reason of the failure. */
  public Reason reason() {
    return reason;
  }

  /** All known details of the failure. */
  public CsiFailure failure() {
    return failure;
  }

  /** The final status of the call. */
  public StatusCode code() {
    return failure.code();
  }

  /** The socket of the registrar. */
  public CsiEndpoint endpoint() {
    return failure.endpoint();
  }
}
