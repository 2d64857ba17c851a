package io.csi4j.testkit.internal.backend;

import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.StatusCode;
import java.util.Arrays;

/** A failure that the plugin answers with. */
public final class Refusal extends Exception {

  private static final long serialVersionUID = 1;

  private final StatusCode code;

  public Refusal(StatusCode code, String text) {
    super(text, null, false, false);
    this.code = code;
  }

  /**
   * A failure with this code.
   *
   * @param text with a {@code %s} for each of the parts
   * @param parts texts of callers, such as ids and paths, which are quoted, and other values
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

  /** Refuses a request that is wrong in any state. */
  static Refusal invalid(String field, String why, Object... parts) {
    return new Refusal(StatusCode.INVALID_ARGUMENT, field + " " + filled(why, parts));
  }

  /** Something that the request names and the plugin does not know. */
  static Refusal notFound(String field, String id) {
    return new Refusal(
        StatusCode.NOT_FOUND,
        field + " " + SafeText.quote(id) + " is not known here. Check the id, or create it first.");
  }

  /** A request that comes in the wrong order. */
  static Refusal precondition(String text, Object... parts) {
    return of(StatusCode.FAILED_PRECONDITION, text, parts);
  }

  /** A request that meets the same thing with other arguments. */
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
