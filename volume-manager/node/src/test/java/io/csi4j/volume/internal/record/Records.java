package io.csi4j.volume.internal.record;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.internal.fields.FieldWriter;
import io.csi4j.volume.internal.fields.RandomFields;
import io.csi4j.volume.internal.fields.UnknownFields;
import io.csi4j.volume.model.Namespace;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.PathStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** Records for tests: some by name, and any number by chance. */
public final class Records {

  static final VolumeIdentity IDENTITY =
      new VolumeIdentity(PluginId.of("hostpath.csi.example"), VolumeId.of("vol-1"));
  static final Place PLACE = new Place("0b5c1e9a-6d3f-4c55-9d5e-2f7f3f1f0a11", 4026531841L);
  static final Evidence EXT4 = new Evidence("unique:4711", "ext4", "/dev/sdb", "/", false);

  private Records() {}

  static VolumeUse usage(String volume, String workload) {
    return VolumeUse.of(VolumeKey.of(Namespace.of("tenant-a"), volume), WorkloadId.of(workload));
  }

  /** A volume whose first use was admitted a moment ago. */
  static VolumeRecord intended() {
    Plan plan = new Plan(true, false, AccessMode.SINGLE_NODE_WRITER, "", "", "");
    return VolumeRecord.fresh(IDENTITY, plan, PLACE)
        .withStaging(PathRecord.NONE.as(PathStatus.IN_DOUBT).working(Verb.STAGE, "812@99"))
        .withTarget(new TargetRecord(usage("db-1", "web-1"), false, PathRecord.NONE));
  }

  /** The same with a label of SELinux. */
  static VolumeRecord labelled() {
    VolumeRecord intended = intended();
    return intended.with(intended.plan().labelled("system_u:object_r:container_file_t:s0:c15,c25"));
  }

  /** A volume with a use in each state, and everything that a record can hold. */
  static VolumeRecord used() {
    Plan plan =
        new Plan(
            true,
            false,
            AccessMode.SINGLE_NODE_MULTI_WRITER,
            "ext4",
            "00112233445566778899aabbccddeeff",
            "1000");
    return VolumeRecord.fresh(IDENTITY, plan, PLACE)
        .withStaging(PathRecord.present(Optional.of(EXT4)))
        .withTarget(
            new TargetRecord(usage("db-1", "web-1"), false, PathRecord.present(Optional.of(EXT4))))
        .withTarget(
            new TargetRecord(
                usage("db-1", "web-2"),
                true,
                PathRecord.present(
                        Optional.of(new Evidence("unique:4712", "ext4", "/dev/sdb", "/", true)))
                    .as(PathStatus.GOING)
                    .working(Verb.UNPUBLISH, "")))
        .withTarget(
            new TargetRecord(
                usage("der-zweite-Name-f\u00fcr-db-1-\ud83d\udcbe", "web-3"),
                false,
                PathRecord.NONE.as(PathStatus.IN_DOUBT).working(Verb.PUBLISH, "812@99")));
  }

  /** A raw device, published without staging. */
  static VolumeRecord block() {
    Plan plan = new Plan(false, true, AccessMode.MULTI_NODE_READER_ONLY, "", "", "");
    return VolumeRecord.fresh(
            new VolumeIdentity(PluginId.of("nvme"), VolumeId.of("../../etc\n\u001b[2J")),
            plan,
            new Place("", 0))
        .withTarget(
            new TargetRecord(
                VolumeUse.of(VolumeKey.of("raw"), WorkloadId.of("w")),
                true,
                PathRecord.present(Optional.empty())));
  }

  /** What version 2 could have written: fields 11 and 12, which this version does not know. */
  static VolumeRecord newer() {
    byte[] fields =
        new FieldWriter().text(11, "attached by claim 7").number(12, 300).text(12, "again").bytes();
    VolumeRecord old = used();
    return new VolumeRecord(
        old.identity(),
        old.plan(),
        old.place(),
        old.staging(),
        old.targets(),
        old.contexts(),
        old.leaving(),
        old.abandoned(),
        old.answered(),
        UnknownFields.of(fields));
  }

  /** A volume with uses under claims, and one without. */
  static VolumeRecord claimed() {
    VolumeRecord used = used();
    TargetRecord first = used.targets().get(usage("db-1", "web-1"));
    TargetRecord second = used.targets().get(usage("db-1", "web-2"));
    return used.withTarget(first.under(new ClaimMark(7, true)))
        .withTarget(second.under(new ClaimMark(1L << 40, false)));
  }

  /** A volume that nobody has any more, and that is not given back yet. */
  static VolumeRecord leaving() {
    VolumeRecord used = used();
    for (VolumeUse usage : List.copyOf(used.targets().keySet())) {
      used = used.without(usage);
    }
    return used;
  }

  /** A volume one of whose uses a person has given up, and a tombstone of such a volume. */
  static VolumeRecord abandoned() {
    VolumeUse usage = usage("db-1", "web-2");
    return used().without(usage).abandoning(usage, "the plugin's vendor says that it is gone");
  }

  /** A volume whose first mount has failed, and every publication of which was answered. */
  static VolumeRecord answered() {
    return intended().withAnswered(usage("db-1", "web-1"), true);
  }

  static Tombstone abandonedTombstone() {
    return new Tombstone(
        IDENTITY,
        used().plan(),
        PLACE,
        List.of(usage("db-1", "web-1")),
        new TreeMap<>(Map.of(usage("db-1", "web-1"), "its machine was scrapped")),
        false,
        new TreeSet<>());
  }

  /** A volume with a use whose contexts are known, and others whose are not. */
  static VolumeRecord withContexts() {
    VolumeRecord used = used();
    return used.with(used.plan().attached("ffeeddccbbaa99887766554433221100"))
        .withContext(usage("db-1", "web-1"), "0123456789abcdef0123456789abcdef")
        .withContext(usage("db-1", "web-2"), Digests.OF_NOTHING);
  }

  static Tombstone tombstone() {
    return new Tombstone(
        IDENTITY,
        used().plan(),
        PLACE,
        List.of(usage("db-1", "web-2"), usage("db-1", "web-1")),
        new TreeMap<>(),
        false,
        new TreeSet<>());
  }

  static VolumeRecord random(Random random) {
    VolumeRecord record =
        VolumeRecord.fresh(identity(random), plan(random), place(random)).withStaging(path(random));
    for (int i = random.nextInt(5); i > 0; i--) {
      record =
          record.withTarget(
              new TargetRecord(usage(random), random.nextBoolean(), path(random), claim(random)));
    }
    for (Map.Entry<VolumeUse, String> use : abandoned(random).entrySet()) {
      record = record.abandoning(use.getKey(), use.getValue());
    }
    if (record.targets().isEmpty() && random.nextBoolean()) {
      record = record.without(usage(random));
    }
    if (random.nextBoolean()) {
      record = record.withAnswered(usage(random), true);
    }
    for (VolumeUse usage : record.targets().keySet()) {
      record = record.withAnswered(usage, random.nextBoolean());
    }
    if (random.nextBoolean()) {
      record = record.with(record.plan().attached(RandomFields.text(random)));
      for (VolumeUse usage : List.copyOf(record.targets().keySet())) {
        record = record.withContext(usage, RandomFields.text(random));
      }
    }
    return random.nextBoolean()
        ? record
        : new VolumeRecord(
            record.identity(),
            record.plan(),
            record.place(),
            record.staging(),
            record.targets(),
            record.contexts(),
            record.leaving(),
            record.abandoned(),
            record.answered(),
            unknown(random));
  }

  static Tombstone randomTombstone(Random random) {
    List<VolumeUse> uses = new ArrayList<>();
    for (int i = random.nextInt(5); i > 0; i--) {
      uses.add(usage(random));
    }
    return new Tombstone(
        identity(random),
        plan(random),
        place(random),
        uses,
        abandoned(random),
        random.nextBoolean(),
        new TreeSet<>(uses.subList(0, random.nextInt(uses.size() + 1))));
  }

  private static SortedMap<VolumeUse, String> abandoned(Random random) {
    SortedMap<VolumeUse, String> abandoned = new TreeMap<>();
    for (int i = random.nextInt(3); i > 0; i--) {
      abandoned.put(usage(random), RandomFields.text(random));
    }
    return abandoned;
  }

  private static VolumeIdentity identity(Random random) {
    return new VolumeIdentity(
        PluginId.of(RandomFields.name(random)), VolumeId.of(RandomFields.name(random)));
  }

  private static VolumeUse usage(Random random) {
    return VolumeUse.of(
        VolumeKey.of(Namespace.of(RandomFields.name(random)), RandomFields.name(random)),
        WorkloadId.of(RandomFields.name(random)));
  }

  private static Plan plan(Random random) {
    return new Plan(
            random.nextBoolean(),
            random.nextBoolean(),
            RandomFields.one(random, AccessMode.values()),
            RandomFields.text(random),
            RandomFields.text(random),
            RandomFields.text(random))
        .labelled(random.nextBoolean() ? "" : "u:r:t:s0:c" + random.nextInt(9));
  }

  private static Place place(Random random) {
    return new Place(
        RandomFields.text(random), random.nextBoolean() ? random.nextLong() : random.nextInt(3));
  }

  private static PathRecord path(Random random) {
    return new PathRecord(
        RandomFields.one(
            random,
            new PathStatus[] {
              PathStatus.NONE, PathStatus.IN_DOUBT, PathStatus.PRESENT, PathStatus.GOING
            }),
        random.nextBoolean()
            ? Optional.empty()
            : Optional.of(
                new Pending(RandomFields.one(random, Verb.values()), RandomFields.text(random))),
        random.nextBoolean()
            ? Optional.empty()
            : Optional.of(
                new Evidence(
                    RandomFields.text(random),
                    RandomFields.text(random),
                    RandomFields.text(random),
                    RandomFields.text(random),
                    random.nextBoolean())));
  }

  private static ClaimMark claim(Random random) {
    return random.nextBoolean()
        ? ClaimMark.NONE
        : new ClaimMark(1 + random.nextInt(3), random.nextBoolean());
  }

  private static UnknownFields unknown(Random random) {
    return RandomFields.unknown(random, 10);
  }
}
