package io.csi4j.volume.cluster.grpc;

import io.csi4j.volume.agent.ControlPlane;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.ClaimQuestion;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.TlsSettings;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeVerdict;
import io.csi4j.volume.model.WireException;
import io.csi4j.volume.node.NodeOrders;
import io.csi4j.volume.node.NodeReport;
import io.csi4j.volume.node.NodeWire;
import io.csi4j.volume.wire.ClusterMessage;
import io.csi4j.volume.wire.SentRefusal;
import io.csi4j.volume.wire.Wire;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The control planes of a cluster, as a node reaches them. Each request goes to the one that
 * answered last. If that one cannot be reached, is silent, or cannot answer now, the next one gets
 * the request. A control plane cannot answer if it is cut off from its store, or belongs to another
 * cluster. So a request may be sent twice, which changes nothing.
 *
 * <pre>{@code
 * try (RemoteControlPlane controlPlanes =
 *         RemoteControlPlane.of(node, List.of(cp1, cp2, cp3), tls);
 *     NodeAgent agent = NodeAgent.builder(node, directory, controlPlanes).plugin(config).open()) {
 *   agent.exchange();
 * }
 * }</pre>
 *
 * <p>Connects with the first request. Safe for many threads.
 *
 * @since 1.0
 */
public final class RemoteControlPlane implements ControlPlane, AutoCloseable {

  private final NodeName node;
  private final LineClient line;

  private RemoteControlPlane(Builder parts) {
    node = parts.node;
    line = new LineClient(parts.endpoints, parts.tls, parts.deadline);
  }

  /**
   * Begins to set up the control planes at these socket files or ports.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static Builder builder(NodeName node, List<ClusterEndpoint> endpoints) {
    return new Builder(node, endpoints);
  }

  /**
   * Returns the control planes at these socket files. A request waits for 10 s at most, at all of
   * them together.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static RemoteControlPlane of(NodeName node, List<ClusterEndpoint> endpoints) {
    return builder(node, endpoints).build();
  }

  /**
   * Returns the control planes at these ports.
   *
   * @param tls the certificate of the node, and those of the authority that signs for control
   *     planes
   * @throws IllegalArgumentException if there is none
   */
  public static RemoteControlPlane of(
      NodeName node, List<ClusterEndpoint> endpoints, TlsSettings tls) {
    return builder(node, endpoints).tls(tls).build();
  }

  @Override
  public NodeOrders exchange(NodeReport report) {
    Subject subject = Subject.of("reporting for node '" + node + "'");
    return NodeWire.orders(
        ask(subject, NodeWire.report(report)), (use, secrets) -> SecretsProvider.none());
  }

  @Override
  public ClaimStanding standing(ClaimQuestion question) {
    Subject subject = Subject.of("confirming the claim").by(question.claim().usage());
    return Wire.standing(ask(subject, Wire.standingQuestion(question)));
  }

  @Override
  public VolumeVerdict verdict(ClaimQuestion question) {
    Subject subject = Subject.of("looking for the volume").by(question.claim().usage());
    return Wire.verdict(ask(subject, Wire.volumeQuestion(question)));
  }

  private ClusterMessage ask(Subject subject, ClusterMessage question) {
    byte[] answer;
    try {
      answer = line.ask(question.encode(), RemoteControlPlane::isFinal);
    } catch (LineException failed) {
      throw new VolumeException(
          VolumeException.Outcome.REFUSED,
          Messages.of(
              failed.isRefusal()
                  ? OperatorCode.CONTROL_PLANE_REFUSES
                  : OperatorCode.CONTROL_PLANE_SILENT,
              subject,
              String.valueOf(failed.getMessage())),
          null,
          failed);
    }
    ClusterMessage message = ClusterMessage.decode(answer);
    if (message.kind() == ClusterMessage.Kind.REFUSAL) {
      throw Wire.refusal(message).exception();
    }
    return message;
  }

  /** Another control plane may have the answer that this one cannot give now. */
  private static boolean isFinal(byte[] answer) {
    try {
      ClusterMessage message = ClusterMessage.decode(answer);
      if (message.kind() != ClusterMessage.Kind.REFUSAL) {
        return true;
      }
      SentRefusal refusal = Wire.refusal(message);
      return refusal.outcome() != ChangeOutcome.UNCERTAIN
          && refusal.outcome() != ChangeOutcome.UNAVAILABLE
          && refusal.message().code() != OperatorCode.CONTROL_PLANE_OTHER;
    } catch (WireException unreadable) {
      return true;
    }
  }

  /** Ends the connections. Open requests fail. */
  @Override
  public void close() {
    line.close();
  }

  /** Collects the parts of a {@link RemoteControlPlane}. */
  public static final class Builder {

    private final NodeName node;
    private final List<ClusterEndpoint> endpoints;
    private Optional<TlsSettings> tls = Optional.empty();
    private Duration deadline = Duration.ofSeconds(10);

    private Builder(NodeName node, List<ClusterEndpoint> endpoints) {
      this.node = Objects.requireNonNull(node, "node");
      this.endpoints = List.copyOf(endpoints);
      if (endpoints.isEmpty()) {
        throw new IllegalArgumentException(
            "A node needs an endpoint of a control plane. Name one.");
      }
    }

    /**
     * Sets the certificate of the node, and those of the authority that signs for control planes.
     * Needed for ports.
     */
    public Builder tls(TlsSettings value) {
      tls = Optional.of(value);
      return this;
    }

    /**
     * Sets how long a request waits, at all control planes together. One that is silent has a third
     * of the time that is left. 10 s by default. A control plane that releases volumes answers
     * after its patience, which must be shorter than that third.
     *
     * @throws IllegalArgumentException if it is not positive
     */
    public Builder deadline(Duration value) {
      if (value.isNegative() || value.isZero()) {
        throw new IllegalArgumentException("The deadline has to be positive, not " + value + ".");
      }
      deadline = value;
      return this;
    }

    /** Returns the control planes. They are connected with the first request. */
    public RemoteControlPlane build() {
      return new RemoteControlPlane(this);
    }
  }
}
