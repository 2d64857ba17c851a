package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.agent.ControlPlane;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ClaimEpoch;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.ClaimQuestion;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.VolumeVerdict;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.NodeOrders;
import io.csi4j.volume.node.NodeReport;
import io.csi4j.volume.node.NodeWire;
import io.csi4j.volume.node.SentSecrets;
import io.csi4j.volume.state.seal.AesGcmSealer;
import io.csi4j.volume.state.seal.Sealer;
import io.csi4j.volume.store.local.MemoryStore;
import io.csi4j.volume.wire.ClusterMessage;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Holds docs/wire.md to what really compiles and crosses. */
class WirePageTest {

  private static final NodeName NODE = NodeName.of("n1");
  private static final VolumeUse USE = VolumeUse.of(VolumeKey.of("db"), WorkloadId.of("web-1"));
  private static final Sealer SEALER = AesGcmSealer.of(AesGcmSealer.Keys.of("k1", new byte[32]));

  private final ClaimBook book = new ClaimBook(new MemoryStore(), Clock.systemUTC());

  @Test
  void aNodeLearnsWhetherItsClaimIsCurrent() {
    Claim.Use writing = new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM);
    long epoch =
        book.claim(ClaimRequest.builder(USE, NODE, writing, ClaimMode.WRITE).build()).epoch();

    assertThat(
            WireSnippets.asked(ClaimQuestion.of(new ClaimEpoch(NODE, USE, epoch)), this::answered))
        .isEqualTo(new ClaimStanding.Current());
  }

  private byte[] answered(byte[] received) {
    return WireSnippets.answered(received, new Answers());
  }

  /** A control plane that orders nothing. */
  private final class Answers implements ControlPlane {

    @Override
    public NodeOrders exchange(NodeReport report) {
      return orders(report);
    }

    @Override
    public ClaimStanding standing(ClaimQuestion question) {
      return book.standing(question.claim().usage(), question.claim().epoch());
    }

    @Override
    public VolumeVerdict verdict(ClaimQuestion question) {
      return new VolumeVerdict.Present();
    }
  }

  private static NodeOrders orders(NodeReport report) {
    return new NodeOrders(
        report.node(), report.number(), Optional.empty(), List.of(), List.of(), List.of(), true);
  }

  @Test
  void aReportIsAnsweredWithOrders() {
    NodeReport report =
        new NodeReport(
            NODE,
            Optional.empty(),
            "b0f3",
            Instant.EPOCH,
            7,
            false,
            List.of(),
            List.of(),
            List.of(),
            List.of(),
            List.of(),
            Optional.empty());
    ClusterMessage answer = ClusterMessage.decode(answered(NodeWire.report(report).encode()));
    NodeOrders read = NodeWire.orders(answer, (use, secrets) -> SecretsProvider.none());
    assertThat(read).isEqualTo(orders(report));
    assertThat(JavadocSnippets.nodeWire(report)).isEqualTo(report);
  }

  @Test
  void aFailureIsTheSameLineOnBothEnds() {
    OperatorMessage message =
        new OperatorMessage(
            OperatorCode.VOLUME_IN_USE,
            new OperatorMessage.Part("mounting volume 'db'"),
            new OperatorMessage.Part("another workload has it"),
            new OperatorMessage.Part("nothing was changed"),
            new OperatorMessage.Part("Wait for it"));
    ClusterMessage refusal =
        WireSnippets.refused(
            new VolumeException(VolumeException.Outcome.REFUSED, message, null, null));
    assertThat(refusal.json()).contains("\"name\": \"VOLUME_IN_USE\"");

    List<Object> log = new ArrayList<>();
    JavadocSnippets.clusterMessage(refusal.encode(), passedOn -> {}, log::add);
    assertThat(log).containsExactly(message.line());
  }

  @Test
  void secretsAreSealedUntilACallNeedsThem() {
    Secrets staging = Secrets.of(Map.of("key", "c4n4ry-stage"));
    Secrets publishing = Secrets.of(Map.of("key", "c4n4ry-publish"));
    MountRequest request =
        MountRequest.builder(
                PluginId.of("p"), USE, VolumeId.of("vol-1"), AccessMode.SINGLE_NODE_WRITER)
            .volumeContext(VolumeContext.of(Map.of("share", "c4n4ry-context")))
            .build();
    ClusterMessage message = WireSnippets.sealed(request, USE, staging, publishing, SEALER);
    Function<String, SecretsProvider> byName = name -> SecretsProvider.none();

    assertThat(new String(message.encode(), StandardCharsets.ISO_8859_1))
        .contains("c4n4ry-context")
        .doesNotContain("c4n4ry-stage", "c4n4ry-publish");
    assertThat(message.json())
        .contains("\"share\": \"<redacted>\"", "\"operation\": \"NodeStageVolume\"")
        .doesNotContain("c4n4ry");
    MountRequest read = WireSnippets.opened(message, byName, SEALER);
    assertThat(read).isEqualTo(request);
    assertThat(read.secrets().secretsFor(CsiOperation.NODE_STAGE_VOLUME)).isEqualTo(staging);
    assertThat(read.secrets().secretsFor(CsiOperation.NODE_PUBLISH_VOLUME)).isEqualTo(publishing);
    assertThat(read.secrets().secretsFor(CsiOperation.NODE_EXPAND_VOLUME))
        .isEqualTo(Secrets.empty());
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> SentSecrets.named(""));
  }

  @Test
  void whatOnlyANewerVersionKnowsIsPassedOn() {
    byte[] newer = HexFormat.of().parseHex("0801f2010401020304"); // a kind with the number 30
    List<byte[]> passedOn = new ArrayList<>();
    List<String> log = new ArrayList<>();

    assertThat(WireSnippets.newer(newer, passedOn::add, log::add))
        .isEqualTo("{\n  \"version\": 1,\n  \"unknownFields\": [30]\n}");
    assertThat(passedOn).singleElement().isEqualTo(newer);
    assertThat(log)
        .containsExactly(
            "CSI-973 MESSAGE_FROM_NEWER_VERSION: exchanging a message: it is of a kind that this"
                + " csi4j does not know; the message had no effect. Upgrade csi4j here, or avoid"
                + " the feature until all are upgraded.");
  }
}
