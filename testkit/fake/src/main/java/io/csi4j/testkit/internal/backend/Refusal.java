package io.csi4j.testkit.internal.backend;

import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.StatusCode;
import java.util.Arrays;

/** A failure that the plugin returns to its caller. */
public final class Refusal extends Exception {

  private static final long serialVersionUID = 1;

  private final StatusCode code;

  public Refusal(StatusCode code, String text) {
    super(text, null, false, false);
    this.code = code;
  }

  /**
   * Returns a failure with this code.
   *
   * @param text the message, with a {@code %s} for each element of {@code parts}
   * @param parts the values to insert; texts, such as ids and paths from callers, are quoted
   */
  public static Refusal of(StatusCode code, String text, Object... parts) {
    return new Refusal(code, filled(text, parts));
  }

  private static String filled(String text, Object... parts) {
    Object[] shown =
        Arrays.stream(parts)
            .map(part -> part instanceof String foreign ? SafeText.quote(foreign) : part)
            .toArray();
    return shown.length == 0 ? text : text.formatted(shown);
  }

  /** Returns the refusal of a request that is invalid, whatever the state of the plugin. */
  static Refusal invalid(String field, String why, Object... parts) {
    return new Refusal(StatusCode.INVALID_ARGUMENT, field + " " + filled(why, parts));
  }

  /** Returns the refusal of a request that names an object which the plugin does not have. */
  static Refusal notFound(String field, String id) {
    return new Refusal(
        StatusCode.NOT_FOUND,
        field + " " + SafeText.quote(id) + " is not known here. Check the id, or create it first.");
  }

  /** Returns the refusal of a request that needs another call to come first. */
  static Refusal precondition(String text, Object... parts) {
    return of(StatusCode.FAILED_PRECONDITION, text, parts);
  }

  /** Returns the refusal of a request for an existing object with different arguments. */
  static Refusal exists(String text, Object... parts) {
    return of(StatusCode.ALREADY_EXISTS, text, parts);
  }

  public StatusCode code() {
    return code;
  }

  public String text() {
    return String.valueOf(getMessage());
  }
}
