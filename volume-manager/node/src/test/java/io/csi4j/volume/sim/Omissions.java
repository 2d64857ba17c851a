package io.csi4j.volume.sim;

import java.lang.reflect.Field;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The fields that are not in the description of a world, each with the reason. */
final class Omissions {

  private static final String SAME = "the same in all histories of a setup";
  private static final String PAST = "tells of the past, and decides nothing";
  private static final String DEAD = "of the process that has ended, and set anew for the next";
  private static final String ENDS = "empty when the process has ended";
  private static final String NAME = "only makes names, which are told as far as they are used";
  private static final String TIME = "a moment, which is told relative to now";

  private static final String OVER = "of the operation that has ended, and set anew for the next";
  private static final String UNCOMPARED =
      "compared with what is asked for earlier only, of which nothing is left when nobody waits";

  private static final String UNSPENT =
      "decides nothing before a budget of 100 repeats is used up, which no joined history does";

  private Omissions() {}

  /** Moments of the engine, which are told relative to now. */
  static final Set<String> MOMENTS =
      Set.of(
          "../internal/engine/VolumeMemory$UnendedCalls$Uncertainty.since",
          "../internal/engine/Tombstones$Kept.until",
          "../internal/engine/RefreshSchedule$Latest.since",
          "../internal/engine/VolumeMemory$RefusedReleases$Count.since");

  /** Names of processes, of which only matters where else they are: told by number. */
  static final Set<String> NAMES =
      Set.of(
          "../internal/engine/VolumeMemory$UnendedCalls$Uncertainty.instance",
          "../internal/engine/PluginWatch.processes");

  /** By class and field. */
  static final Map<String, String> ALWAYS = always();

  /** Those that are omitted when no process of the host lives. */
  static final Map<String, String> OF_THE_DEAD = ofTheDead();

  /** Those that are omitted too when the process is about to end: its end makes them empty. */
  static final Map<String, String> OF_THE_DYING = ofTheDying();

  private static Map<String, String> ofTheDying() {
    Map<String, String> all = new TreeMap<>();
    add(all, ENDS, "SimHost", "asked");
    add(all, ENDS, "Invariants$OneCallAtATime", "open");
    add(all, ENDS, "Invariants$EveryStartEnds", "open");
    add(all, ENDS, "../state/MemoryMedium", "owner");
    return Map.copyOf(all);
  }

  private static Map<String, String> ofTheDead() {
    Map<String, String> all = new TreeMap<>();
    add(all, DEAD, "World", "operations");
    add(all, DEAD, "SimHost", "life");
    return Map.copyOf(all);
  }

  private static Map<String, String> always() {
    Map<String, String> all = new TreeMap<>();
    String engine = "../internal/engine/";
    MOMENTS.forEach(it -> all.put(it, TIME));
    add(all, NAME, engine + "VolumeEngine", "operations");
    add(all, UNCOMPARED, engine + "VolumeIndex", "asked");
    add(all, PAST, engine + "VolumeEngine", "report");
    add(all, OVER, engine + "VolumeQueue", "begun", "started");
    add(all, OVER, engine + "OperationRun", "generation");
    add(all, UNSPENT, engine + "VolumeEngine", "retries");
    add(all, UNSPENT, engine + "CleanupSchedule", "isRepeat");
    add(all, UNSPENT, engine + "OperationRun", "held");
    add(all, PAST, engine + "VolumeQueue", "troubled");
    add(all, PAST, engine + "VolumeQueue$View", "troubled");
    add(
        all,
        "a moment that has passed, and is compared with such that are to come only",
        engine + "VolumeEngine",
        "pauseTold");
    add(all, SAME, engine + "EngineParts", "layout", "settings", "clock", "claims");
    add(
        all,
        "said by its name",
        "../internal/lifecycle/Turn$Moment",
        "doing",
        "isForth",
        "reached",
        "next");
    add(all, TIME, "SimTime$Item", "due");
    add(all, NAME, "SimTime$Item", "order");
    add(
        all,
        "who has it, whose number is that of the process",
        "../state/MemoryMedium$Store",
        "identity");
    add(all, SAME, "World", "setup", "layout", "targets", "targetOf");
    add(all, SAME, "World", "crashDensity", "faultDensity");
    add(all, "what it decides next is the same in all that goes on from here", "World", "choices");
    add(all, PAST, "World", "findings", "crashedAt");
    add(all, "decides whether to go on, not how", "World", "crossroads", "isJoined");
    add(all, SAME, "SimTime", "shuffling", "uncaught");
    add(all, "as that of the world", "SimTime", "choices");
    add(all, TIME, "SimTime", "now", "queue");
    add(all, NAME, "SimTime", "count");
    add(all, NAME, "SimKernel", "numbers", "boot", "namespace");
    add(all, NAME, "SimKernel$Mount", "number", "boot");
    add(all, NAME, "SimPlugin", "process");
    add(all, TIME, "SimPlugin$Late", "begun");
    add(all, SAME, "SimHost", "all");
    add(all, "described as a part of the world while it lives", "SimHost", "engine");
    add(all, "only long random histories look at it", "SimHost", "reconciled");
    add(all, PAST, "../internal/disk/FakeDisk", "history", "operations");
    add(all, NAME, "../internal/disk/FakeDisk", "ids", "writes");
    add(all, NAME, "../internal/disk/FakeDisk$Node", "id");
    add(
        all,
        "only the journal reads it, and the state is in memory",
        "../internal/disk/FakeDisk$Node",
        "modified");
    add(all, NAME, "../internal/record/Evidence", "ref");
    add(all, NAME, "../internal/record/Place", "boot", "mountNamespace");
    add(all, NAME, "../internal/record/Pending", "instance");
    return Map.copyOf(all);
  }

  private static void add(Map<String, String> all, String reason, String type, String... fields) {
    for (String field : fields) {
      all.put(type + "." + field, reason);
    }
  }

  /** How a field is called here: relative to this package. */
  static String name(Field field) {
    String type = field.getDeclaringClass().getName();
    String near = "io.csi4j.volume.sim.";
    String far = "io.csi4j.volume.";
    String name =
        type.startsWith(near)
            ? type.substring(near.length())
            : type.startsWith(far) ? "../" + type.substring(far.length()).replace('.', '/') : type;
    return name + "." + field.getName();
  }
}
