package io.csi4j.testkit.proxy;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.Secrets;
import io.csi4j.testkit.internal.call.MessageSender;
import java.util.List;

/**
 * A call to any plugin, with request and answers as JSON under the names of the spec: for use at a
 * shell, and for requests that the typed API cannot express. It takes the same path as every call,
 * so it is refused, retried and explained in the same way; only the answer is not checked.
 *
 * <pre>{@code
 * String volume = "{\"volume_id\": \"vol-1\"}";
 * JsonCall call = JsonCall.of(CsiOperation.DELETE_VOLUME, volume).secrets(secrets);
 * call.send(plugin).forEach(log); // {}
 * }</pre>
 *
 * @since 1.0
 */
public final class JsonCall {

  private final MessageSender sender;
  private final boolean contexts;

  private JsonCall(MessageSender sender, boolean contexts) {
    this.sender = sender;
    this.contexts = contexts;
  }

  /**
   * Returns a call with these fields.
   *
   * @param json an object; {@code {}} for no field
   * @throws IllegalArgumentException if the text is not a JSON object, or a field does not exist in
   *     the request or is of another kind; the message never repeats a value
   */
  public static JsonCall of(CsiOperation operation, String json) {
    return new JsonCall(MessageSender.of(operation, json), false);
  }

  /** Returns the fields that the request may have, as lines of JSON with the kind of each value. */
  public static String fields(CsiOperation operation) {
    return MessageSender.fields(operation);
  }

  /** Returns the operation. */
  public CsiOperation operation() {
    return sender.operation();
  }

  /** Returns whether the call accepts secrets. */
  public boolean takesSecrets() {
    return sender.takesSecrets();
  }

  /**
   * Returns the call with these secrets, if there are any, in place of those in the JSON.
   *
   * @throws IllegalArgumentException if there are secrets, and the call accepts none
   */
  public JsonCall secrets(Secrets secrets) {
    return new JsonCall(sender.with(secrets), contexts);
  }

  /**
   * Returns the call with answers that show mount flags and the values of contexts, which are
   * otherwise left out. Secrets are always left out.
   */
  public JsonCall showingContexts() {
    return new JsonCall(sender, true);
  }

  /**
   * Makes the call, and returns each answer as a line of JSON: one line, or several for a stream.
   *
   * @param plugin a plugin returned by {@code CsiPlugin.connect}
   * @throws io.csi4j.client.model.CsiException if the call fails
   */
  public List<String> send(CsiPlugin plugin) {
    return sender.send(plugin, contexts);
  }

  /** Returns only the operation, because a request may contain secrets. */
  @Override
  public String toString() {
    return "JsonCall[" + operation().rpcName() + "]";
  }
}
