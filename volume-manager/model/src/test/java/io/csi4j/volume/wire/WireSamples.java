package io.csi4j.volume.wire;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.HealthReason;
import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeHealthEntry;
import io.csi4j.volume.internal.fields.RandomFields;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.ClaimEpoch;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.Namespace;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeHealth;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.VolumeVerdict;
import io.csi4j.volume.model.WorkloadId;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/** Values that cross: one with everything for each kind, and random ones. */
public final class WireSamples {

  /** Stands in every context and in the mount flags; nobody may be shown it. */
  public static final String HIDDEN = "s3cr3t";

  public static final Instant NOON = Instant.parse("2026-11-30T12:00:00.000000001Z");

  public static final VolumeUse USE =
      VolumeUse.of(VolumeKey.of(Namespace.of("shop"), "db-ü"), WorkloadId.of("web/1"));

  private static final List<AccessMode> MODES =
      List.of(AccessMode.values()).stream().filter(AccessMode::isStated).toList();

  private WireSamples() {}

  public static VolumeCapability capability() {
    return VolumeCapability.mount(
        AccessMode.SINGLE_NODE_MULTI_WRITER,
        MountOptions.none()
            .withFsType("xfs")
            .withFlags(MountFlags.of("noatime", "password=" + HIDDEN))
            .withVolumeMountGroup("1000"));
  }

  public static ClaimGrant grant() {
    return new ClaimGrant(
        USE,
        NodeName.of("n1"),
        7,
        ClaimMode.WRITE,
        PublishContext.of(Map.of("devicePath", "/dev/" + HIDDEN, "lun", "3")),
        Optional.of(capability()),
        true);
  }

  public static NodeReceipt receipt() {
    return new NodeReceipt(
        USE,
        7,
        NodeName.of("n1"),
        "b0f3",
        List.of(Path.of("/var/lib/csi4j/p/k7x2/t"), Path.of("/var/lib/csi4j/p/k7x2/s")),
        NodeReceipt.Staging.KEPT_FOR_OTHERS);
  }

  public static VolumeHealth health() {
    return new VolumeHealth(
        List.of(
            new VolumeHealth.Finding(
                VolumeHealthEntry.of(
                    VolumeHealthEntry.Status.INACCESSIBLE,
                    HealthReason.of("DiskFailing"),
                    "two disks do not answer"),
                new VolumeHealth.Source(
                    VolumeHealth.Source.Kind.NODE, Optional.of(NodeName.of("n1"))),
                NOON,
                NOON.plusSeconds(60)),
            new VolumeHealth.Finding(
                VolumeHealthEntry.of(9, HealthReason.of(""), ""),
                VolumeHealth.Source.controller(),
                NOON,
                NOON)));
  }

  public static OperatorMessage message() {
    return new OperatorMessage(
        OperatorCode.CLAIM_HELD_BY,
        new OperatorMessage.Part("claiming volume 'db'"),
        new OperatorMessage.Part("workload 'web-2' on node 'n2' writes to it"),
        new OperatorMessage.Part("nothing was changed"),
        new OperatorMessage.Part("Wait until it is released"));
  }

  public static SentRefusal refusal() {
    return new SentRefusal(message(), ChangeOutcome.REFUSED);
  }

  // ---- random ones

  public static VolumeUse use(Random random) {
    return VolumeUse.of(
        VolumeKey.of(Namespace.of(RandomFields.name(random)), RandomFields.name(random)),
        WorkloadId.of(RandomFields.name(random)));
  }

  public static Map<String, String> entries(Random random) {
    Map<String, String> entries = new LinkedHashMap<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      entries.put(RandomFields.text(random), RandomFields.text(random));
    }
    return entries;
  }

  public static Instant time(Random random) {
    return Instant.ofEpochSecond(random.nextInt(), random.nextInt(1_000_000_000));
  }

  public static VolumeCapability capability(Random random) {
    AccessMode mode = MODES.get(random.nextInt(MODES.size()));
    if (random.nextInt(4) == 0) {
      return VolumeCapability.block(mode);
    }
    MountOptions options =
        new MountOptions(
            Optional.of(RandomFields.text(random)),
            random.nextBoolean()
                ? Optional.of(MountFlags.of(RandomFields.name(random)))
                : Optional.empty(),
            Optional.of(random.nextBoolean() ? "" + random.nextInt(9000) : ""));
    return VolumeCapability.mount(mode, options);
  }

  public static NodeName node(Random random) {
    return NodeName.of(RandomFields.name(random));
  }

  public static ClaimGrant grant(Random random, VolumeUse use, NodeName node) {
    return new ClaimGrant(
        use,
        node,
        1 + random.nextInt(Integer.MAX_VALUE - 1) * 4L,
        RandomFields.one(random, ClaimMode.values()),
        PublishContext.of(entries(random)),
        random.nextBoolean() ? Optional.of(capability(random)) : Optional.empty(),
        random.nextBoolean());
  }

  public static ClaimEpoch claim(Random random) {
    return claim(random, node(random));
  }

  public static ClaimEpoch claim(Random random, NodeName node) {
    return ClaimEpoch.of(grant(random, use(random), node));
  }

  public static NodeReceipt receipt(Random random) {
    return receipt(random, node(random));
  }

  public static NodeReceipt receipt(Random random, NodeName node) {
    return new NodeReceipt(
        use(random),
        1 + random.nextInt(1000),
        node,
        RandomFields.text(random),
        List.of(Path.of("/" + random.nextInt()), Path.of("/a/" + random.nextInt())),
        RandomFields.one(random, NodeReceipt.Staging.values()));
  }

  public static VolumeHealth health(Random random) {
    VolumeHealth health = VolumeHealth.well();
    for (int i = random.nextInt(3); i > 0; i--) {
      health =
          health.and(
              new VolumeHealth(
                  List.of(
                      new VolumeHealth.Finding(
                          VolumeHealthEntry.of(
                              random.nextInt(6),
                              HealthReason.of(RandomFields.text(random)),
                              RandomFields.text(random)),
                          new VolumeHealth.Source(
                              RandomFields.one(random, VolumeHealth.Source.Kind.values()),
                              random.nextBoolean()
                                  ? Optional.of(NodeName.of(RandomFields.name(random)))
                                  : Optional.empty()),
                          time(random),
                          time(random)))));
    }
    return health;
  }

  public static OperatorMessage message(Random random) {
    return new OperatorMessage(
        RandomFields.one(random, OperatorCode.values()),
        part(random),
        part(random),
        part(random),
        part(random));
  }

  private static OperatorMessage.Part part(Random random) {
    return new OperatorMessage.Part("clause " + random.nextInt());
  }

  public static ClaimStanding standing(Random random) {
    return switch (random.nextInt(5)) {
      case 0 -> new ClaimStanding.Current();
      case 1 -> new ClaimStanding.Stale(random.nextInt(1000));
      case 2 -> new ClaimStanding.Leaving();
      case 3 -> new ClaimStanding.Missing();
      default -> new ClaimStanding.Unknown(new ReasonText("because " + random.nextInt()));
    };
  }

  public static VolumeVerdict verdict(Random random) {
    return switch (random.nextInt(3)) {
      case 0 -> new VolumeVerdict.Present();
      case 1 -> new VolumeVerdict.Gone(message(random));
      default -> new VolumeVerdict.Unknown(new ReasonText("because " + random.nextInt()));
    };
  }
}
