package io.csi4j.volume.node;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.Secrets;
import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.text.ForeignText;
import io.csi4j.volume.internal.wire.WireParts;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.state.seal.SealException;
import io.csi4j.volume.state.seal.Sealer;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/**
 * The secrets of a request that a control plane sends to a node: no secrets, a name under which the
 * node's host keeps the secrets, or sealed secrets. Secrets are never sent in clear text, and stay
 * sealed on the node until a call needs them.
 *
 * <pre>{@code
 * SentSecrets sent = // in a control plane, with the key that it shares with its nodes
 *     SentSecrets.sealed(usage, Map.of(CsiOperation.NODE_STAGE_VOLUME, secrets), sealer);
 *
 * NodeOrders orders = // on a node
 *     NodeWire.orders(message, (use, each) -> each.provider(use, byName, sealer));
 * }</pre>
 *
 * @since 1.0
 */
public final class SentSecrets {

  private static final SentSecrets NONE = new SentSecrets("", Map.of());

  private final String name;

  /**
   * The sealed bytes of each operation, as hexadecimal digits: text compares by value, arrays do
   * not.
   */
  private final Map<CsiOperation, String> sealedBytes;

  private SentSecrets(String name, Map<CsiOperation, String> sealedBytes) {
    this.name = name;
    this.sealedBytes = Map.copyOf(sealedBytes);
  }

  /** Returns the value for a request without secrets. */
  public static SentSecrets none() {
    return NONE;
  }

  /** Returns a reference to secrets that the node's host keeps under this name. */
  public static SentSecrets named(String name) {
    if (name.isEmpty()) {
      throw new IllegalArgumentException(
          "The name of the secrets is empty. Name them, or send none.");
    }
    return new SentSecrets(name, Map.of());
  }

  /**
   * Seals secrets for one use. The node can open them only for that use and the operation that they
   * were sealed for.
   *
   * @param usage the use of the request
   * @param secrets the secrets for each operation that needs secrets
   * @param sealer the key that control planes and nodes share
   * @throws SealException if there is no key for sealing
   */
  public static SentSecrets sealed(
      VolumeUse usage, Map<CsiOperation, Secrets> secrets, Sealer sealer) {
    Map<CsiOperation, String> sealedBytes = new EnumMap<>(CsiOperation.class);
    secrets.forEach(
        (operation, values) ->
            sealedBytes.put(
                operation,
                HexFormat.of()
                    .formatHex(sealer.seal(WireParts.secrets(values), about(usage, operation)))));
    return sealedBytes.isEmpty() ? NONE : new SentSecrets("", sealedBytes);
  }

  /** Returns secrets that are already sealed. */
  static SentSecrets sealed(Map<CsiOperation, String> sealedBytes) {
    return new SentSecrets("", sealedBytes);
  }

  /**
   * Returns the context that the secrets are sealed with. Names contain no line breaks, so the
   * context identifies exactly one use and one operation.
   */
  private static String about(VolumeUse usage, CsiOperation operation) {
    return String.join(
        "\n",
        "SECRETS",
        usage.volume().namespace().value(),
        usage.volume().id(),
        usage.workload().value(),
        operation.rpcName());
  }

  /** Returns the name of the secrets, if they are named. */
  public Optional<String> name() {
    return Optional.of(name).filter(it -> !it.isEmpty());
  }

  /** Returns the sealed bytes as hexadecimal digits, by operation. */
  Map<CsiOperation, String> sealed() {
    return sealedBytes;
  }

  /**
   * Returns a provider that looks up the name, or opens the sealed secrets, when a call needs them.
   * The provider throws what {@code byName} throws, and {@link SealException} if the sealer cannot
   * open the secrets for this use.
   *
   * @param usage the use of the request
   * @param byName the node's own secrets, by their names
   * @param sealer the key that control planes and nodes share
   */
  public SecretsProvider provider(
      VolumeUse usage, Function<String, SecretsProvider> byName, Sealer sealer) {
    Objects.requireNonNull(sealer, "sealer");
    if (!name.isEmpty()) {
      // The name is looked up only when a call needs the secrets, so an unknown name does not
      // affect other uses.
      return SecretsProvider.async(operation -> byName.apply(name).asyncSecretsFor(operation));
    }
    return sealedBytes.isEmpty()
        ? SecretsProvider.none()
        : operation -> opened(usage, operation, sealer);
  }

  private Secrets opened(VolumeUse usage, CsiOperation operation, Sealer sealer) {
    String bytes = sealedBytes.get(operation);
    if (bytes == null) {
      return Secrets.empty();
    }
    try {
      return WireParts.secrets(
          sealer.open(HexFormat.of().parseHex(bytes), about(usage, operation)));
    } catch (MalformedRecordException e) {
      throw new SealException(
          "the sealed secrets of a use cannot be read. Use the same version of csi4j on both ends.");
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SentSecrets that
        && name.equals(that.name)
        && sealedBytes.equals(that.sealedBytes);
  }

  @Override
  public int hashCode() {
    return Objects.hash(name, sealedBytes.keySet());
  }

  /** Returns the name of the secrets, or the operations with sealed secrets. */
  @Override
  public String toString() {
    return "SentSecrets["
        + (name.isEmpty() ? "sealed for " + sealedBytes.keySet() : ForeignText.of(name))
        + "]";
  }
}
