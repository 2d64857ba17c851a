package io.csi4j.testkit.internal.backend;

import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.StatusCode;

/** A failure that the plugin answers with. */
public final class Refusal extends Exception {

  private static final long serialVersionUID = 1;

  private final StatusCode code;

  /** A failure with this code and this text. */
  public Refusal(StatusCode code, String text) {
    super(text, null, false, false);
    this.code = code;
  }

  /** A volume as the subject of a sentence. */
  static String volume(String id) {
    return "Volume " + SafeText.quote(id);
  }

  /** Refuses a request that is wrong in any state. */
  static Refusal invalid(String field, String why) {
    return new Refusal(StatusCode.INVALID_ARGUMENT, field + " " + why);
  }

  /** Something that the request names and the plugin does not know. */
  static Refusal notFound(String field, String id) {
    return new Refusal(
        StatusCode.NOT_FOUND,
        field + " " + SafeText.quote(id) + " is not known here. Check the id, or create it first.");
  }

  /** A request that comes in the wrong order. */
  static Refusal precondition(String text) {
    return new Refusal(StatusCode.FAILED_PRECONDITION, text);
  }

  /** A request that meets the same thing with other arguments. */
  static Refusal exists(String text) {
    return new Refusal(StatusCode.ALREADY_EXISTS, text);
  }

  /** Its code. */
  public StatusCode code() {
    return code;
  }

  /** Returns its text. */
  public String text() {
    return String.valueOf(getMessage());
  }
}
