package io.csi4j.testkit.proxy;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.Secrets;
import io.csi4j.testkit.internal.call.MessageSender;
import java.util.List;

/**
 * A call to any plugin, whose request and answers are JSON by the names of the spec: for people at
 * a shell, and for requests that no typed one can be. It takes the way of all calls, so it is
 * refused, repeated and explained as they are; only the answer is not checked.
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
   * The call with these fields.
   *
   * @param json an object; {@code {}} for no field
   * @throws IllegalArgumentException if it is no JSON object, or has a field that the request does
   *     not have, or one of another kind; the message never repeats a value
   */
  public static JsonCall of(CsiOperation operation, String json) {
    return new JsonCall(MessageSender.of(operation, json), false);
  }

  /** Returns the fields that the request may have, as lines of JSON with the kind of each value. */
  public static String fields(CsiOperation operation) {
    return MessageSender.fields(operation);
  }

  /** The call. */
  public CsiOperation operation() {
    return sender.operation();
  }

  /** Whether the call takes secrets. */
  public boolean takesSecrets() {
    return sender.takesSecrets();
  }

  /**
   * Returns the call with these secrets, if there are any, in place of those in the JSON.
   *
   * @throws IllegalArgumentException if there are some, and the call takes none
   */
  public JsonCall secrets(Secrets secrets) {
    return new JsonCall(sender.with(secrets), contexts);
  }

  /**
   * Returns the call with answers that show mount flags and the values of contexts, which are left
   * out otherwise. Secrets are left out all the same.
   */
  public JsonCall showingContexts() {
    return new JsonCall(sender, true);
  }

  /**
   * Makes the call, and returns each answer as a line of JSON: one, or several of a stream.
   *
   * @param plugin one that {@code CsiPlugin.connect} returned
   * @throws io.csi4j.client.model.CsiException if it fails
   */
  public List<String> send(CsiPlugin plugin) {
    return sender.send(plugin, contexts);
  }

  /** The operation alone, as a request may hold secrets. */
  @Override
  public String toString() {
    return "JsonCall[" + operation().rpcName() + "]";
  }
}
