package io.csi4j.client.registration;

import io.csi4j.client.internal.text.OwnFrames;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiFailure;
import io.csi4j.client.model.StatusCode;
import org.jspecify.annotations.Nullable;

/**
 * A call to a registrar that failed.
 *
 * @since 1.0
 */
public final class RegistrarException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final transient CsiFailure failure;
  private final Call call;
  private final Reason reason;

  /** The calls there are. */
  public enum Call {
    /** The question for the announcement. */
    GET_INFO("GetInfo", "Asking the registrar at %s what it announces"),
    /** The notice of the outcome. */
    NOTIFY_REGISTRATION_STATUS(
        "NotifyRegistrationStatus",
        "Telling the registrar at %s what has become of its announcement");

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

  /** Why a call can fail. */
  public enum Reason {
    /** The registrar does not answer in time. */
    NO_ANSWER,
    /** The registrar ended, or ended the connection. */
    LOST,
    /** The listener serves no plugin registration. */
    NOT_A_REGISTRAR,
    /** The registrar answered with an error. */
    FAILED,
    /** The answer is too large, or no answer at all. */
    UNUSABLE_ANSWER,
    /** The waiting thread was interrupted; its flag is set again. */
    INTERRUPTED,
    /** The caller cancelled the call. */
    CANCELLED,
    /** The connection was closed on this side. */
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

  /** Which call. */
  public Call call() {
    return call;
  }

  /** Why it failed. */
  public Reason reason() {
    return reason;
  }

  /** Everything known about the failure. */
  public CsiFailure failure() {
    return failure;
  }

  /** The status that the call ended with. */
  public StatusCode code() {
    return failure.code();
  }

  /** The socket of the registrar. */
  public CsiEndpoint endpoint() {
    return failure.endpoint();
  }
}
