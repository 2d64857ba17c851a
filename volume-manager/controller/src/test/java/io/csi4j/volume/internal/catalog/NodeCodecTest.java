package io.csi4j.volume.internal.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.InvalidProtocolBufferException;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.HealthReason;
import io.csi4j.client.model.VolumeHealthEntry;
import io.csi4j.volume.catalog.NodeEntry;
import io.csi4j.volume.catalog.NodeSamples;
import io.csi4j.volume.internal.catalog.proto.CatalogProto;
import io.csi4j.volume.internal.fields.CodecContract;
import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.fields.UnknownFields;
import io.csi4j.volume.internal.store.ValueCodec;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeHealth;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.plugin.PluginHealth;
import io.csi4j.volume.store.RecordKey;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Nodes as bytes. */
class NodeCodecTest implements CodecContract<NodeCodecTest.Stored> {

  private static final NodeCodec CODEC = new NodeCodec();
  private static final UUID MARK = new UUID(3, 4);

  private static final NodeEntry FULL =
      NodeSamples.report("a", 7, "i-0a1")
          .drained(Optional.of(new ReasonText("new disks")))
          .away(new ReasonText("its power is off"), Optional.empty());

  private static final NodeEntry PLAIN =
      NodeEntry.reported(NodeName.of("b"), "boot-2", 1, List.of(), true);

  /** Written by the first version, which did not record how a plugin is; read for ever. */
  private static final String GOLDEN_WITHOUT_HEALTH =
      "08011201611a06626f6f742d3120072aad010a036562731203692d311a0d2f72756e2f6562732e"
          + "736f636b2001328f010a0f6562732e6373692e6578616d706c651203312e341a20564f4c554d45"
          + "5f4143434553534942494c4954595f434f4e53545241494e545320012a185055424c4953485f55"
          + "4e5055424c4953485f564f4c554d4530013a05692d30613140114a0e0a0c0a047a6f6e65120465"
          + "617374521453544147455f554e53544147455f564f4c554d45520854454c45504f52543a096e65"
          + "77206469736b73421069747320706f776572206973206f66664903000000000000005104000000"
          + "00000000";

  /** Written once, and read for ever. */
  private static final String GOLDEN =
      "08011201611a06626f6f742d3120072aad010a036562731203692d311a0d2f72756e2f6562732e"
          + "736f636b2001328f010a0f6562732e6373692e6578616d706c651203312e341a20564f4c554d45"
          + "5f4143434553534942494c4954595f434f4e53545241494e545320012a185055424c4953485f55"
          + "4e5055424c4953485f564f4c554d4530013a05692d30613140114a0e0a0c0a047a6f6e65120465"
          + "617374521453544147455f554e53544147455f564f4c554d45520854454c45504f52543a096e65"
          + "77206469736b73421069747320706f776572206973206f66664903000000000000005104000000"
          + "000000006a2e0a0552454144591208414e5357455245441a0a6974207361696420736f20e8b3b7"
          + "cbb73332036562733a03692d31";

  private static final String GOLDEN_PLAIN =
      "08011201621a06626f6f742d3220013001490300000000000000510400000000000000";

  private static final NodeEntry EXPANDED =
      PLAIN.expanded(
          Map.of(
              VolumeKey.of("db"),
              CapacityRange.atLeast(7),
              VolumeKey.of("a"),
              CapacityRange.atMost(9)));

  /** What expansions add to the second. */
  private static final String GOLDEN_EXPANDED =
      "5a120a0c0a0764656661756c7412016112021009" + "5a130a0d0a0764656661756c741202646212020807";

  private static final VolumeHealth.Finding GONE =
      new VolumeHealth.Finding(
          VolumeHealthEntry.of(
              VolumeHealthEntry.Status.DATA_LOSS, HealthReason.of("DiskGone"), "block 7"),
          new VolumeHealth.Source(VolumeHealth.Source.Kind.NODE, Optional.of(NodeName.of("b"))),
          Instant.ofEpochSecond(7),
          Instant.ofEpochSecond(7));

  private static final VolumeHealth.Finding DEAD =
      new VolumeHealth.Finding(
          VolumeHealthEntry.of(9, HealthReason.of(""), ""),
          new VolumeHealth.Source(VolumeHealth.Source.Kind.HOST, Optional.empty()),
          Instant.ofEpochSecond(8),
          Instant.ofEpochSecond(8));

  private static final NodeEntry UNWELL =
      PLAIN.unwell(
          Map.of(
              VolumeKey.of("a"),
              new VolumeHealth(List.of(DEAD)),
              VolumeKey.of("db"),
              new VolumeHealth(List.of(DEAD, GONE))));

  /** What faults of volumes add to the second. */
  private static final String GOLDEN_UNWELL =
      "62350a0d0a0764656661756c7412026462121b080312084469736b476f6e651a07626c6f636b20372a016230d83612070809200130c03e"
          + "62170a0c0a0764656661756c7412016112070809200130c03e";

  private static final String GOLDEN_DRAINING =
      "08011201611a06626f6f742d3120072aad010a036562731203692d311a0d2f72756e2f6562732e"
          + "736f636b2001328f010a0f6562732e6373692e6578616d706c651203312e341a20564f4c554d45"
          + "5f4143434553534942494c4954595f434f4e53545241494e545320012a185055424c4953485f55"
          + "4e5055424c4953485f564f4c554d4530013a05692d30613140114a0e0a0c0a047a6f6e65120465"
          + "617374521453544147455f554e53544147455f564f4c554d45520854454c45504f52543a096e65"
          + "77206469736b73421069747320706f776572206973206f66664903000000000000005104000000"
          + "000000006a300a0552454144591208414e5357455245441a0a6974207361696420736f20e8b3b7"
          + "cbb733280132036562733a03692d31";

  private static final NodeEntry DRAINING = FULL.drainingPlugins(Set.of(PluginId.of("ebs")));

  /** A node, with the mark of the write. */
  record Stored(NodeEntry node, UUID mark, UnknownFields newer) {}

  @Override
  public List<Stored> records() {
    return List.of(
        new Stored(FULL, MARK, UnknownFields.NONE),
        new Stored(PLAIN, MARK, UnknownFields.NONE),
        new Stored(EXPANDED, MARK, UnknownFields.NONE),
        new Stored(UNWELL, MARK, UnknownFields.NONE),
        new Stored(DRAINING, MARK, UnknownFields.NONE));
  }

  @Override
  public List<byte[]> samples() {
    return List.of(
        HexFormat.of().parseHex(GOLDEN),
        HexFormat.of().parseHex(GOLDEN_PLAIN),
        HexFormat.of().parseHex(GOLDEN_PLAIN + GOLDEN_EXPANDED),
        HexFormat.of().parseHex(GOLDEN_PLAIN + GOLDEN_UNWELL),
        HexFormat.of().parseHex(GOLDEN_DRAINING));
  }

  @Override
  public byte[] encode(Stored record) {
    return CODEC.encode(record.node(), record.mark(), record.newer());
  }

  @Override
  public Stored decode(byte[] bytes) throws MalformedRecordException {
    ValueCodec.Decoded<NodeEntry> read = CODEC.decode(bytes);
    try {
      CatalogProto.KnownNode marked = CatalogProto.KnownNode.parseFrom(bytes);
      return new Stored(
          read.value(), new UUID(marked.getMarkHigh(), marked.getMarkLow()), read.newer());
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public int formats() {
    return 1;
  }

  /** Names of capabilities are sorted, and a place that is there twice is read once. */
  @Override
  public boolean isCanonical() {
    return false;
  }

  @Test
  void theBytesOfTheFirstVersionAreReadForEver() throws MalformedRecordException {
    for (int i = 0; i < samples().size(); i++) {
      assertThat(HexFormat.of().formatHex(encode(records().get(i))))
          .isEqualTo(HexFormat.of().formatHex(samples().get(i)));
      assertThat(decode(samples().get(i))).isEqualTo(records().get(i));
    }
  }

  @Test
  void aPluginInARecordOfTheFirstVersionHasNotSaidHowItIs() throws MalformedRecordException {
    NodeEntry read = decode(HexFormat.of().parseHex(GOLDEN_WITHOUT_HEALTH)).node();

    PluginHealth notTold =
        new PluginHealth(
            PluginHealth.State.STARTING,
            PluginHealth.Reason.NOT_ASKED,
            new PluginHealth.Text("its node is known from a record"),
            Instant.EPOCH);
    assertThat(read.plugins()).extracting(NodeEntry.KnownPlugin::health).containsExactly(notTold);
    assertThat(read.plugins().get(0).said()).isEqualTo(FULL.plugins().get(0).said());
    assertThat(read.drained()).isEqualTo(FULL.drained());
  }

  @Test
  void howAPluginIsInANewerVersionCountsAsUnwell() throws Exception {
    CatalogProto.KnownNode.Builder newer =
        CatalogProto.KnownNode.parseFrom(encode(records().get(0))).toBuilder();
    newer.getHealthBuilder(0).setState("ASLEEP").setReason("TIRED");

    PluginHealth read = decode(newer.build().toByteArray()).node().plugins().get(0).health();

    assertThat(read.state()).isEqualTo(PluginHealth.State.UNHEALTHY);
    assertThat(read.reason()).isEqualTo(PluginHealth.Reason.ERROR);
    assertThat(read.text().value()).isEqualTo("it said so");
  }

  @Test
  void aVolumeThatIsUnwellTwiceOrWithoutAFaultIsRefused() throws Exception {
    CatalogProto.KnownNode unwell = CatalogProto.KnownNode.parseFrom(encode(records().get(3)));
    CatalogProto.NodeUnwell one = unwell.getUnwell(0);
    for (CatalogProto.NodeUnwell each : List.of(one, one.toBuilder().clearFault().build())) {
      byte[] bytes = unwell.toBuilder().addUnwell(each).build().toByteArray();
      assertThatThrownBy(() -> decode(bytes))
          .isInstanceOf(MalformedRecordException.class)
          .hasMessage("A listed volume has no fault, or is listed twice.");
    }
  }

  @Test
  void theKeyOfANodeIsThatOfNoOtherRecord() {
    assertThat(NodeCodec.key(NodeName.of("a")))
        .isEqualTo(new RecordKey(RecordKey.Space.CLUSTER, "node/a"));
    assertThat(NodeCodec.isOfNode(NodeCodec.key(NodeName.of("a")))).isTrue();
    for (RecordKey other : List.of(ClusterCodec.KEY, SessionCodec.UPKEEP, NodeCodec.BEFORE_ALL)) {
      assertThat(NodeCodec.isOfNode(other)).isFalse();
    }
  }
}
