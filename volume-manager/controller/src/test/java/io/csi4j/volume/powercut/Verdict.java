package io.csi4j.volume.powercut;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** The sum of what a rig did and found. */
final class Verdict {

  /** One of so many disks at most is so torn that the kernel does not mount it. */
  private static final int FEW = 20;

  private final Map<Recording.Scene, Integer> looks = new EnumMap<>(Recording.Scene.class);
  private final List<String> wrong = new ArrayList<>();
  private int thorough;
  private int notMounted;
  private int acknowledged;
  private int recordings;
  private int lies;
  private int caught;

  /** What is wrong. */
  List<String> wrong() {
    return wrong;
  }

  /** How many disks were looked at. */
  int states() {
    return looks.values().stream().mapToInt(Integer::intValue).sum();
  }

  /** Those of one scene. */
  int states(Recording.Scene scene) {
    return looks.getOrDefault(scene, 0);
  }

  /** Whether nothing is wrong, and every disk that lied was caught. */
  boolean isGood() {
    return wrong.isEmpty() && lies > 0 && caught == lies;
  }

  void recorded(Work work) {
    recordings++;
    acknowledged += work.acknowledged();
  }

  void looked(Recording.Scene scene, boolean thoroughly) {
    looks.merge(scene, 1, Integer::sum);
    thorough += thoroughly ? 1 : 0;
  }

  /**
   * A disk that the kernel does not mount, because a write that was under way is there in parts:
   * ext4 and btrfs refuse half a superblock, and xfs some half written blocks. That is before
   * anything of ours is opened.
   */
  void notMounted() {
    notMounted++;
  }

  /** Whether so few disks were not mounted that the others are a proof. */
  boolean isFairlyMounted() {
    return notMounted <= states() / FEW;
  }

  void caught(boolean itWas) {
    lies++;
    caught += itWas ? 1 : 0;
  }

  /** What was done, in figures. */
  String did() {
    return ("%d disks that a power cut left %s, %d of them reconciled; %d more so torn that the kernel"
            + " does not mount them;"
            + " %d recordings, %d operations acknowledged; %d of %d disks that ignored flushes caught")
        .formatted(states(), looks, thorough, notMounted, recordings, acknowledged, caught, lies);
  }

  /** What was found. */
  String found() {
    return wrong.isEmpty() ? "nothing" : wrong.size() + " times: " + wrong.get(0);
  }
}
