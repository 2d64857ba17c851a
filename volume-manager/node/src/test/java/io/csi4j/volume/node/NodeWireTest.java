package io.csi4j.volume.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapabilitySet;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.HealthReason;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.StorageHealthEntry;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.volume.internal.fields.FieldWriter;
import io.csi4j.volume.internal.fields.RandomFields;
import io.csi4j.volume.internal.wire.WireParts;
import io.csi4j.volume.model.ClaimEpoch;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.SelinuxLabel;
import io.csi4j.volume.model.StorageFinding;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WireException;
import io.csi4j.volume.model.WorkloadFacts;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginFingerprint;
import io.csi4j.volume.plugin.PluginHealth;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.RegisteredPlugin;
import io.csi4j.volume.state.seal.AesGcmSealer;
import io.csi4j.volume.state.seal.SealException;
import io.csi4j.volume.state.seal.Sealer;
import io.csi4j.volume.wire.ClusterMessage;
import io.csi4j.volume.wire.GoldenMessages;
import io.csi4j.volume.wire.WireSamples;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Reports, orders and requests cross between versions; secrets cross sealed. */
class NodeWireTest {

  private static final String FOLDER =
      "volume-manager/node/src/test/resources/io/csi4j/volume/node/v1";
  private static final PluginId PLUGIN = PluginId.of("ebs.csi.example");
  private static final CsiOperation STAGING = CsiOperation.NODE_STAGE_VOLUME;
  private static final Sealer SEALER = AesGcmSealer.of(AesGcmSealer.Keys.of("k1", new byte[32]));
  private static final Secrets SECRETS =
      Secrets.of(Map.of("password", "c4n4ry-of-stage", "user", "c4n4ry-user"));

  /** Provides nothing: what a message brings of secrets is compared by {@link SentUse}. */
  private static SecretsProvider nothing(VolumeUse use, SentSecrets sent) {
    return SecretsProvider.none();
  }

  /** A value that crosses, and how. */
  private record Crossing<T>(
      T value,
      Function<T, ClusterMessage> writing,
      Function<ClusterMessage, T> reading,
      Function<Random, T> random) {

    ClusterMessage written() {
      return writing.apply(value);
    }
  }

  enum Golden {
    NODE_REPORT,
    NODE_REPORT_CLUSTER,
    NODE_REPORT_ASKED,
    NODE_ORDERS,
    NODE_ORDERS_HELD,
    MOUNT_REQUEST,
    VOLUME_LIST;

    private Crossing<?> crossing() {
      return switch (this) {
        case NODE_REPORT -> crossing(report());
        case NODE_REPORT_CLUSTER ->
            crossing(
                new NodeReport(
                    NodeName.of("n1"),
                    Optional.of("cluster-7"),
                    "b0f3",
                    WireSamples.NOON,
                    42,
                    false,
                    List.of(),
                    List.of(),
                    List.of(),
                    List.of(),
                    List.of(),
                    Optional.empty()));
        case NODE_REPORT_ASKED ->
            crossing(
                new NodeReport(
                    NodeName.of("n1"),
                    Optional.of("cluster-7"),
                    "b0f3",
                    WireSamples.NOON,
                    43,
                    false,
                    List.of(),
                    List.of(),
                    List.of(),
                    List.of(),
                    List.of(),
                    Optional.of(Set.of(VolumeKey.of("db"), VolumeKey.of("a")))));
        case NODE_ORDERS -> crossing(orders());
        case NODE_ORDERS_HELD ->
            crossing(
                new NodeOrders(
                    NodeName.of("n1"),
                    42,
                    Optional.empty(),
                    List.of(),
                    List.of(),
                    List.of(ClaimEpoch.of(WireSamples.grant())),
                    true));
        case MOUNT_REQUEST ->
            new Crossing<>(
                request(),
                request -> NodeWire.mount(request, SentSecrets.named("db-password")),
                message -> NodeWire.mount(message, NodeWireTest::nothing),
                random -> request(random, WireSamples.node(random)));
        case VOLUME_LIST ->
            new Crossing<List<VolumeStatus>>(
                List.of(status()),
                NodeWire::volumes,
                NodeWire::volumes,
                random -> List.of(status(random), status(random)));
      };
    }

    private static Crossing<NodeReport> crossing(NodeReport report) {
      return new Crossing<>(report, NodeWire::report, NodeWire::report, NodeWireTest::report);
    }

    private static Crossing<NodeOrders> crossing(NodeOrders orders) {
      return new Crossing<>(
          orders,
          NodeWire::orders,
          message -> NodeWire.orders(message, NodeWireTest::nothing),
          NodeWireTest::orders);
    }

    /** Returns the kind of the message; others of a kind have a field that was added later. */
    private String kind() {
      return switch (this) {
        case NODE_REPORT_CLUSTER, NODE_REPORT_ASKED -> NODE_REPORT.name();
        case NODE_ORDERS_HELD -> NODE_ORDERS.name();
        default -> name();
      };
    }
  }

  // ---- values with everything

  private static MountRequest request() {
    ClaimGrant grant = WireSamples.grant();
    return MountRequest.builder(
            PLUGIN, grant.usage(), VolumeId.of("vol-1"), AccessMode.SINGLE_NODE_MULTI_WRITER)
        .readOnly(true)
        .volumeContext(VolumeContext.of(Map.of("share", "//" + WireSamples.HIDDEN)))
        .workloadFacts(WorkloadFacts.of(grant.usage()).withUid("u-1").withServiceAccount("web"))
        .selinuxLabel(SelinuxLabel.of("system_u:object_r:container_file_t:s0:c1,c2"))
        .groupIfOffered("1000")
        .claim(grant)
        .build();
  }

  private static MountRequest inline() {
    VolumeUse use = VolumeUse.of(VolumeKey.of("scratch"), WorkloadId.of("web-1"));
    return MountRequest.inline(PLUGIN, use, AccessMode.SINGLE_NODE_WRITER)
        .volumeContext(VolumeContext.of(Map.of("size", "1Gi")))
        .build();
  }

  private static NodeOrders orders() {
    VolumeUse named = VolumeUse.of(VolumeKey.of("kept"), WorkloadId.of("web-1"));
    VolumeUse left = VolumeUse.of(VolumeKey.of("left"), WorkloadId.of("web-1"));
    return new NodeOrders(
        NodeName.of("n1"),
        41,
        Optional.of("cluster-7"),
        List.of(
            new SentUse(
                new WantedUse.Requested(request()),
                SentSecrets.named("db-password"),
                Optional.of(CapacityRange.between(1 << 30, 2L << 30))),
            new SentUse(
                new WantedUse.Requested(inline()),
                SentSecrets.sealed(
                    Map.of(
                        CsiOperation.NODE_PUBLISH_VOLUME, "00ff",
                        CsiOperation.NODE_STAGE_VOLUME, "c0de")),
                Optional.empty()),
            new SentUse(new WantedUse.Named(named), SentSecrets.none(), Optional.empty())),
        List.of(
            new LeavingUse(
                new ClaimEpoch(NodeName.of("n1"), left, 8),
                Optional.of(new VolumeIdentity(PLUGIN, VolumeId.of("vol-8"))))),
        List.of(),
        false);
  }

  private static PluginOnNode plugin() {
    return new PluginOnNode(
        new RegisteredPlugin(
            new PluginRegistration(
                PluginBinding.of(PLUGIN, CsiEndpoint.of(Path.of("/run/csi/ebs.sock"))),
                InstanceId.ONLY,
                EnumSet.allOf(PluginRole.class)),
            new PluginHealth(
                PluginHealth.State.UNHEALTHY,
                PluginHealth.Reason.SILENT,
                new PluginHealth.Text("it does not answer"),
                WireSamples.NOON),
            Optional.of(
                new PluginFingerprint(
                    PluginName.of("ebs.csi.example"),
                    new PluginFingerprint.Version("v1.2"),
                    new CapabilitySet<>(
                        EnumSet.of(PluginCapability.CONTROLLER_SERVICE), Set.of("service 9")),
                    Optional.of(
                        new CapabilitySet<>(
                            EnumSet.of(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME), Set.of())),
                    Optional.of(
                        new PluginFingerprint.NodeFacts(
                            Optional.of(NodeId.of("i-0123")),
                            OptionalLong.of(0),
                            Optional.of(Topology.of(Map.of("zone", "z-2", "rack", "r1"))),
                            new CapabilitySet<>(
                                EnumSet.of(NodeCapability.STAGE_UNSTAGE_VOLUME), Set.of()))),
                    WireSamples.NOON)),
            false),
        true,
        OptionalLong.of(0),
        List.of(
            new StorageFinding(
                StorageHealthEntry.of(
                    2, HealthReason.of("Fabric"), "no path", Optional.of(WireSamples.capability())),
                WireSamples.NOON,
                WireSamples.NOON)));
  }

  private static VolumeStatus status() {
    VolumeUse gone = VolumeUse.of(VolumeKey.of("db"), WorkloadId.of("web-9"));
    return new VolumeStatus(
        PLUGIN,
        VolumeId.of("vol-1"),
        PathStatus.PRESENT,
        List.of(
            new VolumeStatus.Use(
                WireSamples.USE, PathStatus.DEAD, true, Path.of("/var/lib/csi4j/p/k7x2/t"))),
        List.of(gone),
        Map.of(gone, "the node was rebuilt"),
        AccessMode.SINGLE_NODE_MULTI_WRITER,
        Optional.of("xfs"),
        false,
        Optional.of(WireSamples.message()),
        WireSamples.health());
  }

  private static NodeReport report() {
    return new NodeReport(
        NodeName.of("n1"),
        Optional.empty(),
        "b0f3",
        WireSamples.NOON,
        41,
        true,
        List.of(plugin()),
        List.of(status()),
        List.of(ClaimEpoch.of(WireSamples.grant())),
        List.of(WireSamples.receipt()),
        List.of(
            new NodeExpansion(VolumeKey.of("db"), CapacityRange.atLeast(1 << 30), Optional.empty()),
            new NodeExpansion(
                VolumeKey.of("logs"),
                CapacityRange.exactly(1 << 30),
                Optional.of(WireSamples.message()))),
        Optional.empty());
  }

  // ---- random values

  private static MountRequest request(Random random, NodeName node) {
    VolumeUse use = WireSamples.use(random);
    ClaimGrant grant = WireSamples.grant(random, use, node);
    VolumeCapability capability =
        grant.capability().orElseGet(() -> WireSamples.capability(random));
    if (random.nextInt(5) == 0) {
      return MountRequest.inline(PLUGIN, use, AccessMode.SINGLE_NODE_WRITER)
          .volumeContext(VolumeContext.of(WireSamples.entries(random)))
          .readOnly(random.nextBoolean())
          .build();
    }
    MountRequest.Builder out =
        MountRequest.builder(
                PLUGIN, use, VolumeId.of(RandomFields.name(random)), capability.accessMode())
            .block(capability.isBlock())
            .readOnly(random.nextBoolean())
            .volumeContext(VolumeContext.of(WireSamples.entries(random)));
    capability.mountOptions().ifPresent(out::volumeOptions);
    if (random.nextBoolean()) {
      out.claim(grant).readOnly(grant.mode() == ClaimMode.READ || random.nextBoolean());
    } else {
      out.publishContext(PublishContext.of(WireSamples.entries(random)));
    }
    if (random.nextBoolean()) {
      out.workloadFacts(WorkloadFacts.of(use).withUid(RandomFields.name(random)));
    }
    return out.build();
  }

  private static SentSecrets secrets(Random random) {
    return switch (random.nextInt(3)) {
      case 0 -> SentSecrets.none();
      case 1 -> SentSecrets.named(RandomFields.name(random));
      default ->
          SentSecrets.sealed(
              Map.of(
                  RandomFields.one(random, CsiOperation.values()),
                  HexFormat.of().toHexDigits(random.nextLong())));
    };
  }

  private static NodeOrders orders(Random random) {
    NodeName node = WireSamples.node(random);
    List<SentUse> wanted = new ArrayList<>();
    for (int i = random.nextInt(3); i > 0; i--) {
      wanted.add(
          new SentUse(
              new WantedUse.Requested(request(random, node)),
              secrets(random),
              random.nextBoolean()
                  ? Optional.of(CapacityRange.atMost(1 + random.nextInt(1000)))
                  : Optional.empty()));
    }
    return new NodeOrders(
        node,
        random.nextInt(1000),
        random.nextBoolean() ? Optional.of(RandomFields.name(random)) : Optional.empty(),
        wanted,
        List.of(
            new LeavingUse(
                WireSamples.claim(random, node),
                random.nextBoolean()
                    ? Optional.of(
                        new VolumeIdentity(PLUGIN, VolumeId.of(RandomFields.name(random))))
                    : Optional.empty())),
        random.nextBoolean() ? List.of(WireSamples.claim(random, node)) : List.of(),
        random.nextBoolean());
  }

  private static VolumeStatus status(Random random) {
    return new VolumeStatus(
        PLUGIN,
        VolumeId.of(RandomFields.name(random)),
        RandomFields.one(random, PathStatus.values()),
        List.of(
            new VolumeStatus.Use(
                WireSamples.use(random),
                RandomFields.one(random, PathStatus.values()),
                random.nextBoolean(),
                Path.of("/p/" + random.nextInt()))),
        List.of(WireSamples.use(random)),
        Map.of(WireSamples.use(random), "because " + random.nextInt()),
        RandomFields.one(random, AccessMode.values()),
        random.nextBoolean() ? Optional.of(RandomFields.name(random)) : Optional.empty(),
        random.nextBoolean(),
        random.nextBoolean() ? Optional.of(WireSamples.message(random)) : Optional.empty(),
        WireSamples.health(random));
  }

  private static NodeReport report(Random random) {
    NodeName node = WireSamples.node(random);
    return new NodeReport(
        node,
        random.nextBoolean() ? Optional.of(RandomFields.name(random)) : Optional.empty(),
        RandomFields.text(random),
        WireSamples.time(random),
        1 + random.nextInt(1000),
        random.nextBoolean(),
        random.nextBoolean() ? List.of(plugin()) : List.of(),
        List.of(status(random)),
        List.of(WireSamples.claim(random, node)),
        List.of(WireSamples.receipt(random, node)),
        List.of(),
        random.nextBoolean()
            ? Optional.of(Set.of(WireSamples.use(random).volume()))
            : Optional.empty());
  }

  // ---- versions

  @ParameterizedTest
  @EnumSource
  void isReadAndWrittenAsVersion1DidIt(Golden golden) throws IOException {
    isKept(golden, golden.crossing());
  }

  private static <T> void isKept(Golden golden, Crossing<T> crossing) throws IOException {
    ClusterMessage kept = GoldenMessages.kept(FOLDER, golden.name(), crossing.written());
    assertThat(kept.kind().name()).isEqualTo(golden.kind());
    assertThat(comparable(crossing.reading().apply(kept))).isEqualTo(comparable(crossing.value()));
    assertThat(kept.json()).doesNotContain(WireSamples.HIDDEN);
  }

  @ParameterizedTest
  @EnumSource
  void everyValueComesBackAsItWasWritten(Golden golden) {
    comesBack(golden.crossing());
  }

  private static <T> void comesBack(Crossing<T> crossing) {
    for (int seed = 0; seed < 1000; seed++) {
      T value = crossing.random().apply(new Random(seed));
      ClusterMessage message = crossing.writing().apply(value);
      T read = crossing.reading().apply(ClusterMessage.decode(message.encode()));
      assertThat(comparable(read)).as("seed %d", seed).isEqualTo(comparable(value));
      assertThat(crossing.writing().apply(read)).as("seed %d", seed).isEqualTo(message);
    }
  }

  /** A binding does not compare by value, and only part of it crosses. */
  private static Object comparable(Object value) {
    if (!(value instanceof NodeReport report)) {
      return value;
    }
    List<Object> plugins = new ArrayList<>();
    report
        .plugins()
        .forEach(
            each ->
                plugins.addAll(
                    List.of(
                        each.plugin().registration().id(),
                        each.plugin().registration().binding().endpoint(),
                        each.plugin().registration().instance(),
                        each.plugin().registration().roles(),
                        each.plugin().health(),
                        each.plugin().fingerprint(),
                        each.plugin().remembered(),
                        each.draining(),
                        each.availableBytes(),
                        each.storage())));
    return List.of(
        plugins,
        new NodeReport(
            report.node(),
            report.cluster(),
            report.boot(),
            report.at(),
            report.number(),
            report.draining(),
            List.of(),
            report.volumes(),
            report.ended(),
            report.receipts(),
            report.expansions(),
            report.asked()));
  }

  @Test
  void statesThatOnlyANewerVersionKnowsAreTakenForUncertain() {
    FieldWriter use = new FieldWriter().part(1, key("db")).text(2, "web-1");
    FieldWriter path = new FieldWriter().part(1, use).number(2, 99).text(4, "/t");
    FieldWriter volume =
        new FieldWriter()
            .text(1, "p")
            .text(2, "vol")
            .number(3, 99)
            .part(4, path)
            .number(7, 99)
            .part(11, new FieldWriter());
    ClusterMessage message = message(11, new FieldWriter().part(1, volume));

    VolumeStatus read = NodeWire.volumes(message).get(0);

    assertThat(read.staging()).isEqualTo(PathStatus.IN_DOUBT);
    assertThat(read.uses().get(0).status()).isEqualTo(PathStatus.IN_DOUBT);
    assertThat(read.accessMode()).isEqualTo(AccessMode.UNRECOGNIZED);
  }

  @Test
  void theReasonWhyAUseWasAbandonedIsMadeFitForOneLine() {
    FieldWriter use = new FieldWriter().part(1, key("db")).text(2, "web-1");
    FieldWriter volume =
        new FieldWriter()
            .text(1, "p")
            .text(2, "vol")
            .number(3, 1)
            .part(6, new FieldWriter().part(1, use).text(2, "lost\nand\u001b[31m"))
            .number(7, 1)
            .part(11, new FieldWriter());

    VolumeStatus read = NodeWire.volumes(message(11, new FieldWriter().part(1, volume))).get(0);

    assertThat(read.abandoned().values()).containsExactly("lost\\nand\\u001b[31m");
  }

  @Test
  void aPluginInAStateThatOnlyANewerVersionKnowsIsNotReady() {
    FieldWriter since = new FieldWriter().number(1, 5);
    FieldWriter health = new FieldWriter().number(1, 99).number(2, 99).part(4, since);
    FieldWriter said = new FieldWriter().text(1, "p").text(3, "NEW_SERVICE").part(6, since);
    FieldWriter plugin =
        new FieldWriter()
            .text(1, "p")
            .text(2, "only")
            .text(3, "/s")
            .flag(4, true)
            .part(6, health)
            .part(7, said);
    FieldWriter report =
        new FieldWriter().text(1, "n1").part(3, since).number(4, 1).part(6, plugin);

    RegisteredPlugin read = NodeWire.report(message(2, report)).plugins().get(0).plugin();

    assertThat(read.health().state()).isEqualTo(PluginHealth.State.UNHEALTHY);
    assertThat(read.health().reason()).isEqualTo(PluginHealth.Reason.ERROR);
    assertThat(read.fingerprint().orElseThrow().plugin())
        .isEqualTo(new CapabilitySet<PluginCapability>(Set.of(), Set.of("NEW_SERVICE")));
  }

  @Test
  void anAccessModeThatOnlyANewerVersionKnowsIsNotMountedWith() {
    FieldWriter use = new FieldWriter().part(1, key("db")).text(2, "web-1");
    FieldWriter capability = new FieldWriter().number(1, 99).flag(2, true);
    ClusterMessage message =
        message(4, new FieldWriter().text(1, "p").part(2, use).text(3, "vol").part(5, capability));
    isRefused(
        OperatorCode.MESSAGE_FROM_NEWER_VERSION,
        "it has the access mode 99, which this csi4j does not know",
        () -> NodeWire.mount(message, NodeWireTest::nothing));
  }

  @Test
  void anInlineVolumeHasNoIdOfAnother() {
    FieldWriter use = new FieldWriter().part(1, key("db")).text(2, "web-1");
    FieldWriter capability = new FieldWriter().number(1, 1).flag(2, true);
    ClusterMessage message =
        message(
            4,
            new FieldWriter()
                .text(1, "p")
                .part(2, use)
                .text(3, "vol")
                .flag(4, true)
                .part(5, capability));
    isRefused(
        OperatorCode.MESSAGE_UNREADABLE,
        "its content is wrong: an inline volume has an id",
        () -> NodeWire.mount(message, NodeWireTest::nothing));
  }

  /** A message about one claim: that of the use {@code WireSamples.USE} on a node. */
  private enum AboutAClaim {
    ENDED,
    RECEIPT,
    LEAVING,
    LEFT,
    HELD,
    WANTED;

    /** Returns the use in a message of node n1, where it has a claim of this node. */
    private VolumeUse read(String node) {
      ClaimGrant sample = WireSamples.grant();
      ClaimGrant grant =
          new ClaimGrant(
              sample.usage(),
              NodeName.of(node),
              sample.epoch(),
              sample.mode(),
              sample.context(),
              sample.capability(),
              false);
      FieldWriter time = new FieldWriter().number(1, 5);
      FieldWriter report = new FieldWriter().text(1, "n1").part(3, time).number(4, 1);
      FieldWriter orders = new FieldWriter().text(1, "n1").number(2, 1);
      FieldWriter claim = WireParts.claim(ClaimEpoch.of(grant));
      return switch (this) {
        case ENDED -> NodeWire.report(message(2, report.part(8, claim))).ended().get(0).usage();
        case RECEIPT -> {
          FieldWriter receipt =
              WireParts.receipt(
                  new NodeReceipt(
                      grant.usage(),
                      grant.epoch(),
                      grant.node(),
                      "b0f3",
                      List.of(Path.of("/t")),
                      NodeReceipt.Staging.GONE));
          yield NodeWire.report(message(2, report.part(9, receipt))).receipts().get(0).usage();
        }
        case LEAVING -> {
          FieldWriter leaving = new FieldWriter().part(1, claim).text(2, "p").text(3, "vol");
          yield orders(orders.part(5, leaving)).leaving().get(0).claim().usage();
        }
        case LEFT -> orders(orders.part(7, claim)).leaving().get(0).claim().usage();
        case HELD -> orders(orders.part(8, claim)).held().get(0).usage();
        case WANTED -> {
          FieldWriter request =
              new FieldWriter()
                  .text(1, "p")
                  .part(2, WireParts.use(grant.usage()))
                  .text(3, "vol")
                  .part(5, WireParts.capability(WireSamples.capability()))
                  .part(12, WireParts.grant(grant));
          yield orders(orders.part(4, new FieldWriter().part(1, request)))
              .wanted()
              .get(0)
              .use()
              .usage();
        }
      };
    }

    private static NodeOrders orders(FieldWriter orders) {
      return NodeWire.orders(message(3, orders), NodeWireTest::nothing);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aMessageOfOneNodeHasNoClaimOfAnother(AboutAClaim about) {
    assertThat(about.read("n1")).isEqualTo(WireSamples.USE);
    boolean isReport = about == AboutAClaim.ENDED || about == AboutAClaim.RECEIPT;
    isRefused(
        OperatorCode.MESSAGE_UNREADABLE,
        "a value in the " + (isReport ? "NODE_REPORT" : "NODE_ORDERS") + " is not valid",
        () -> about.read("n2"));
  }

  private static FieldWriter key(String id) {
    return new FieldWriter().text(1, "default").text(2, id);
  }

  private static ClusterMessage message(int kind, FieldWriter body) {
    return ClusterMessage.decode(new FieldWriter().number(1, 1).part(kind, body).bytes());
  }

  private static void isRefused(OperatorCode code, String seen, Runnable reading) {
    assertThatExceptionOfType(WireException.class)
        .isThrownBy(reading::run)
        .satisfies(refused -> assertThat(refused.code()).isEqualTo(code))
        .satisfies(refused -> assertThat(refused.operatorMessage().seen().text()).isEqualTo(seen));
  }

  @ParameterizedTest
  @EnumSource
  void damagedBytesAreRefusedInOneLineOrReadAsAnotherMessage(Golden golden) {
    damaged(golden, golden.crossing());
  }

  private static <T> void damaged(Golden golden, Crossing<T> crossing) {
    byte[] sample = crossing.written().encode();
    for (int at = 0; at < sample.length; at++) {
      for (int bit = 0; bit < 8; bit++) {
        byte[] flipped = sample.clone();
        flipped[at] ^= (byte) (1 << bit);
        isHarmless(golden, crossing, flipped);
      }
      isHarmless(golden, crossing, Arrays.copyOf(sample, at));
    }
  }

  private static <T> void isHarmless(Golden golden, Crossing<T> crossing, byte[] bytes) {
    try {
      ClusterMessage message = ClusterMessage.decode(bytes);
      if (message.kind().name().equals(golden.kind())) {
        T read = crossing.reading().apply(message);
        assertThat(crossing.reading().apply(crossing.writing().apply(read))).isNotNull();
      }
      assertThat(message).isNotEqualTo(crossing.written());
    } catch (WireException refused) {
      assertThat(refused.code())
          .isIn(OperatorCode.MESSAGE_UNREADABLE, OperatorCode.MESSAGE_FROM_NEWER_VERSION);
      assertThat(refused.getMessage()).doesNotContain("\n", WireSamples.HIDDEN);
    }
  }

  // ---- secrets

  private static SentUse sealedUse() {
    return new SentUse(
        new WantedUse.Requested(request()),
        SentSecrets.sealed(
            WireSamples.USE, Map.of(CsiOperation.NODE_STAGE_VOLUME, SECRETS), SEALER),
        Optional.empty());
  }

  @Test
  void noSecretStandsInAMessageUnsealed() {
    ClusterMessage message =
        NodeWire.orders(
            new NodeOrders(
                NodeName.of("n1"),
                1,
                Optional.empty(),
                List.of(sealedUse()),
                List.of(),
                List.of(),
                true));
    String latin = new String(message.encode(), StandardCharsets.ISO_8859_1);
    for (String canary : List.of("c4n4ry", "password", "user")) {
      String base64 = Base64.getEncoder().encodeToString(canary.getBytes(StandardCharsets.UTF_8));
      assertThat(latin + message.json() + sealedUse())
          .doesNotContain("c4n4ry", base64.substring(0, 6))
          .doesNotContain(HexFormat.of().formatHex(canary.getBytes(StandardCharsets.UTF_8)));
    }
  }

  @Test
  void aProviderIsNotASecretThatCrosses() {
    MountRequest withSecrets =
        request().toBuilder().secrets(SecretsProvider.always(SECRETS)).build();
    ClusterMessage message = NodeWire.mount(withSecrets, SentSecrets.none());
    assertThat(new String(message.encode(), StandardCharsets.ISO_8859_1)).doesNotContain("c4n4ry");
    assertThat(NodeWire.mount(message, NodeWireTest::nothing).secrets())
        .isSameAs(SecretsProvider.none());
  }

  @Test
  void sealedSecretsAreOpenedForTheirUseAndTheirCallAlone() {
    ClusterMessage message =
        NodeWire.orders(
            new NodeOrders(
                NodeName.of("n1"),
                1,
                Optional.empty(),
                List.of(sealedUse()),
                List.of(),
                List.of(),
                true));
    NodeOrders read =
        NodeWire.orders(
            message, (use, sent) -> sent.provider(use, name -> SecretsProvider.none(), SEALER));

    WantedUse.Requested wanted = (WantedUse.Requested) read.wanted().get(0).use();
    SecretsProvider provider = wanted.request().secrets();
    assertThat(provider.secretsFor(CsiOperation.NODE_STAGE_VOLUME)).isEqualTo(SECRETS);
    assertThat(provider.secretsFor(CsiOperation.NODE_PUBLISH_VOLUME)).isEqualTo(Secrets.empty());

    VolumeUse other = VolumeUse.of(VolumeKey.of("db"), WorkloadId.of("thief"));
    SecretsProvider moved =
        read.wanted().get(0).secrets().provider(other, name -> SecretsProvider.none(), SEALER);
    assertThatExceptionOfType(SealException.class)
        .isThrownBy(() -> moved.secretsFor(CsiOperation.NODE_STAGE_VOLUME));
  }

  @Test
  void namedSecretsComeFromTheNode() {
    SecretsProvider kept = SecretsProvider.always(SECRETS);
    ClusterMessage message = NodeWire.mount(request(), SentSecrets.named("db-password"));
    MountRequest read =
        NodeWire.mount(
            message,
            (use, sent) ->
                sent.provider(
                    use,
                    name -> name.equals("db-password") ? kept : SecretsProvider.none(),
                    SEALER));
    assertThat(read.secrets().secretsFor(CsiOperation.NODE_STAGE_VOLUME)).isEqualTo(SECRETS);
  }

  @Test
  void aNameThatTheNodeDoesNotHaveStopsTheCallsOfItsUseAlone() {
    List<String> asked = new ArrayList<>();
    Function<String, SecretsProvider> byName =
        name -> {
          asked.add(name);
          if (!name.equals("db-password")) {
            throw new IllegalArgumentException("There are no such secrets.");
          }
          return SecretsProvider.always(SECRETS);
        };
    SentUse known =
        new SentUse(
            new WantedUse.Requested(request()), SentSecrets.named("db-password"), Optional.empty());
    SentUse unknown =
        new SentUse(
            new WantedUse.Requested(inline()), SentSecrets.named("other"), Optional.empty());
    NodeOrders orders =
        new NodeOrders(
            NodeName.of("n1"),
            1,
            Optional.empty(),
            List.of(unknown, known),
            List.of(),
            List.of(),
            true);

    NodeOrders read =
        NodeWire.orders(NodeWire.orders(orders), (use, sent) -> sent.provider(use, byName, SEALER));

    assertThat(read).isEqualTo(orders);
    assertThat(asked).as("names before a call").isEmpty();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> provider(read.wanted().get(0)).asyncSecretsFor(STAGING))
        .withMessage("There are no such secrets.");
    assertThat(provider(read.wanted().get(1)).asyncSecretsFor(STAGING))
        .isCompletedWithValue(SECRETS);
    assertThat(asked).containsExactly("other", "db-password");
  }

  private static SecretsProvider provider(SentUse sent) {
    return ((WantedUse.Requested) sent.use()).request().secrets();
  }

  @Test
  void aNameOfSecretsIsShownInOneLine() {
    assertThat(SentSecrets.named("a\nb")).hasToString("SentSecrets[a\\nb]");
  }

  // ---- values

  @Test
  void ordersNameEachUseOnce() {
    SentUse use = new SentUse(orders().wanted().get(0).use(), SentSecrets.none(), Optional.empty());
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                new NodeOrders(
                    NodeName.of("n1"),
                    1,
                    Optional.empty(),
                    List.of(use, use),
                    List.of(),
                    List.of(),
                    true))
        .withMessage("The use shop/db-ü by web/1 is in the orders twice.");
  }

  @Test
  void reportsCountFromOne() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                new NodeReport(
                    NodeName.of("n1"),
                    Optional.empty(),
                    "b",
                    WireSamples.NOON,
                    0,
                    false,
                    List.of(),
                    List.of(),
                    List.of(),
                    List.of(),
                    List.of(),
                    Optional.empty()))
        .withMessage("Report numbers start at 1, not at 0.");
  }
}
