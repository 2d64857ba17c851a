package io.csi4j.volume.internal.claims;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.PublishContext;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimOverride;
import io.csi4j.volume.internal.fields.FieldWriter;
import io.csi4j.volume.internal.fields.RandomFields;
import io.csi4j.volume.internal.fields.UnknownFields;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.Namespace;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadFacts;
import io.csi4j.volume.model.WorkloadId;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;

/** Claims for tests: some by name, and any number by chance. */
final class Claims {

  static final VolumeKey VOLUME = VolumeKey.of(Namespace.of("tenant-a"), "db-1");
  static final UUID TOKEN = UUID.fromString("0b5c1e9a-6d3f-4c55-9d5e-2f7f3f1f0a11");
  private static final Instant THEN = Instant.parse("2026-01-01T00:00:00.123456789Z");

  private Claims() {}

  static Claim claim(long epoch, Claim.Use use, ClaimHolder... holders) {
    Map<WorkloadId, ClaimHolder> byWorkload = new TreeMap<>();
    Arrays.stream(holders).forEach(holder -> byWorkload.put(holder.workload(), holder));
    return new Claim(VOLUME, Optional.of(use), new TreeMap<>(byWorkload), epoch, Optional.empty());
  }

  static ClaimHolder holder(String workload, ClaimHolder.Attachment attachment) {
    return new ClaimHolder(
        WorkloadId.of(workload),
        NodeName.of("n1"),
        Optional.empty(),
        ClaimMode.READ,
        ClaimHolder.State.TAKEN,
        1,
        THEN,
        attachment);
  }

  /**
   * A claim with the mark of its write, the version that stood in the bytes before stores kept it,
   * and the fields of a newer version.
   */
  record Marked(Claim claim, UUID mark, long version, UnknownFields newer) {}

  /** What nobody holds, and nobody ever did. */
  static Marked free() {
    return new Marked(Claim.none(VOLUME), TOKEN, 0, UnknownFields.NONE);
  }

  /** A volume that was held once. */
  static Marked used() {
    return new Marked(Claim.none(VOLUME).lastUsed(THEN), TOKEN, 0, UnknownFields.NONE);
  }

  /** What holders and overrides can be. */
  static Marked held() {
    Claim claim =
        claim(
                7,
                new Claim.Use(AccessMode.MULTI_NODE_SINGLE_WRITER, AttachmentMode.BLOCK),
                holder("web-1", new ClaimHolder.Attachment.NotNeeded()),
                holder("web-2", new ClaimHolder.Attachment.InDoubt()),
                new ClaimHolder(
                    WorkloadId.of("der-dritte-für-db-1-\ud83d\udcbe"),
                    NodeName.of("Knoten 3"),
                    Optional.of(NodeId.of("i-0a1b/zone-ä")),
                    ClaimMode.WRITE,
                    ClaimHolder.State.CONTROLLER_DETACHED,
                    7,
                    Instant.EPOCH.minusNanos(1),
                    new ClaimHolder.Attachment.Attached(
                        PublishContext.of(Map.of("lun", "7", "", "no key", "devicePath", "")))))
            .exhausted(Optional.of(THEN.plusSeconds(40)));
    return new Marked(overridden(claim), TOKEN, 4294967301L, UnknownFields.NONE);
  }

  /** With what format 2 has: how each holder has it mounted. */
  static Marked mounted() {
    Claim claim =
        claim(
            3,
            new Claim.Use(AccessMode.MULTI_NODE_MULTI_WRITER, AttachmentMode.FILESYSTEM),
            holder("web-1", new ClaimHolder.Attachment.InDoubt()),
            mounted(holder("web-2", new ClaimHolder.Attachment.NotNeeded()), MountOptions.none()),
            mounted(
                holder("web-3", new ClaimHolder.Attachment.NotNeeded()),
                new MountOptions(
                    Optional.of("ext4"),
                    Optional.of(MountFlags.of("noatime", "password=7")),
                    Optional.of("1000"))));
    return new Marked(claim, TOKEN, 9, UnknownFields.NONE);
  }

  /** With what format 3 has: what the plugin is told of each workload. */
  static Marked told() {
    WorkloadId job = WorkloadId.of("der-dritte-für-db-1-\ud83d\udcbe");
    Claim claim =
        claim(
            3,
            new Claim.Use(AccessMode.MULTI_NODE_MULTI_WRITER, AttachmentMode.FILESYSTEM),
            holder("web-1", new ClaimHolder.Attachment.InDoubt()),
            mounted(holder("web-2", new ClaimHolder.Attachment.NotNeeded()), MountOptions.none())
                .with(
                    WorkloadFacts.of(VolumeUse.of(VOLUME, WorkloadId.of("web-2")))
                        .withUid("b7c1e2d0-5b2f-4a34-9f0e-0f3d6a1c2b3a")
                        .withServiceAccount("front")),
            holder(job.value(), new ClaimHolder.Attachment.NotNeeded())
                .with(WorkloadFacts.of(VolumeUse.of(VOLUME, job))));
    return new Marked(claim, TOKEN, 0, UnknownFields.NONE);
  }

  private static ClaimHolder mounted(ClaimHolder holder, MountOptions options) {
    return new ClaimHolder(
        holder.workload(),
        holder.node(),
        holder.nodeId(),
        holder.mode(),
        holder.state(),
        holder.epoch(),
        holder.since(),
        holder.attachment(),
        Optional.of(options));
  }

  private static Claim overridden(Claim claim) {
    return new Claim(
        claim.volume(),
        claim.use(),
        claim.holders(),
        claim.epoch(),
        claim.exhaustedUntil(),
        List.of(
            new ClaimOverride(
                WorkloadId.of("web-0"),
                NodeName.of("Knoten 3"),
                6,
                new ClaimOverride.Person("Änne"),
                new ReasonText("the machine was sold"),
                THEN),
            new ClaimOverride(
                WorkloadId.of("web-0"),
                NodeName.of("n1"),
                5,
                new ClaimOverride.Person("bo"),
                new ReasonText("burnt"),
                THEN.minusSeconds(9))),
        Optional.empty());
  }

  /**
   * What a newer version could have written: fields 11 and 12, which this version does not know.
   */
  static Marked newer() {
    byte[] fields =
        new FieldWriter().text(11, "fenced by 7").number(12, 300).text(12, "again").bytes();
    return new Marked(held().claim(), TOKEN, held().version(), UnknownFields.of(fields));
  }

  static Marked random(Random random) {
    VolumeKey volume =
        VolumeKey.of(Namespace.of(RandomFields.name(random)), RandomFields.name(random));
    Map<WorkloadId, ClaimHolder> holders = new TreeMap<>();
    long epoch = random.nextInt(1000);
    for (int i = random.nextInt(5); i > 0; i--) {
      ClaimHolder plain = holder(random, epoch + i);
      ClaimHolder mounted = random.nextBoolean() ? plain : mounted(plain, options(random));
      ClaimHolder holder = random.nextBoolean() ? mounted : mounted.with(facts(random));
      holders.put(holder.workload(), holder);
    }
    Claim claim =
        new Claim(
            volume,
            holders.isEmpty() ? Optional.empty() : Optional.of(use(random)),
            new TreeMap<>(holders),
            epoch + 5,
            random.nextBoolean() ? Optional.empty() : Optional.of(time(random)),
            Stream.generate(() -> override(random)).limit(random.nextInt(4)).toList(),
            random.nextBoolean() ? Optional.empty() : Optional.of(time(random)));
    return new Marked(
        claim,
        new UUID(random.nextLong(), random.nextInt(2) * random.nextLong()),
        random.nextInt(2) * (random.nextLong() & Long.MAX_VALUE),
        random.nextBoolean() ? UnknownFields.NONE : RandomFields.unknown(random, 10));
  }

  private static ClaimOverride override(Random random) {
    return new ClaimOverride(
        WorkloadId.of(RandomFields.name(random)),
        NodeName.of(RandomFields.name(random)),
        random.nextInt(1000),
        new ClaimOverride.Person(RandomFields.name(random)),
        new ReasonText(RandomFields.name(random)),
        time(random));
  }

  private static Claim.Use use(Random random) {
    List<AccessMode> modes =
        Arrays.stream(AccessMode.values()).filter(AccessMode::isStated).toList();
    return new Claim.Use(
        modes.get(random.nextInt(modes.size())), RandomFields.one(random, AttachmentMode.values()));
  }

  private static ClaimHolder holder(Random random, long epoch) {
    return new ClaimHolder(
        WorkloadId.of(RandomFields.name(random)),
        NodeName.of(RandomFields.name(random)),
        random.nextBoolean() ? Optional.empty() : Optional.of(NodeId.of(RandomFields.name(random))),
        RandomFields.one(random, ClaimMode.values()),
        RandomFields.one(random, ClaimHolder.State.values()),
        epoch,
        time(random),
        attachment(random));
  }

  private static MountOptions options(Random random) {
    return new MountOptions(
        random.nextBoolean() ? Optional.empty() : Optional.of(RandomFields.text(random)),
        random.nextBoolean()
            ? Optional.empty()
            : Optional.of(
                MountFlags.of(
                    Stream.generate(() -> RandomFields.text(random))
                        .limit(random.nextInt(3))
                        .toList())),
        random.nextBoolean() ? Optional.empty() : Optional.of(RandomFields.text(random)));
  }

  private static WorkloadFacts facts(Random random) {
    WorkloadFacts facts =
        WorkloadFacts.of(VolumeUse.of(VOLUME, WorkloadId.of(RandomFields.name(random))));
    return random.nextBoolean() ? facts : facts.withUid(RandomFields.name(random));
  }

  private static Instant time(Random random) {
    return Instant.ofEpochSecond(random.nextInt(), random.nextInt(1_000_000_000));
  }

  private static ClaimHolder.Attachment attachment(Random random) {
    return switch (random.nextInt(3)) {
      case 0 -> new ClaimHolder.Attachment.NotNeeded();
      case 1 -> new ClaimHolder.Attachment.InDoubt(random.nextBoolean());
      default -> {
        Map<String, String> entries = new LinkedHashMap<>();
        for (int i = random.nextInt(4); i > 0; i--) {
          entries.put(RandomFields.text(random), RandomFields.text(random));
        }
        yield new ClaimHolder.Attachment.Attached(PublishContext.of(entries));
      }
    };
  }
}
