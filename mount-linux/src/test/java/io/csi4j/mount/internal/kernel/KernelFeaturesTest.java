package io.csi4j.mount.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** That features are found by trying, whatever says no. */
class KernelFeaturesTest {

  private final List<Integer> closed = new ArrayList<>();
  private int next = 100;

  @Test
  void aKernelThatAnswersAllHasAll() {
    KernelFeatures features = KernelFeatures.probe(newest(Set.of(), 0));

    assertThat(missing(features)).isEmpty();
    assertThat(features.hasUniqueIds()).isTrue();
    assertThat(features.obstacle(Feature.OPENAT2)).isEmpty();
  }

  @Test
  void everyDescriptorThatTryingOpensIsClosed() {
    KernelFeatures unused = KernelFeatures.probe(newest(Set.of(), 0));

    assertThat(missing(unused)).isEmpty();
    assertThat(closed).containsExactlyInAnyOrder(100, 101, 102, 103);
  }

  @Test
  void aCallThatDoesNotExistIsNamedWithItsAnswer() {
    KernelFeatures features = KernelFeatures.probe(newest(Set.of("openat2"), Abi.ENOSYS));

    assertThat(missing(features)).containsExactly(Feature.OPENAT2);
    assertThat(features.obstacle(Feature.OPENAT2))
        .contains("openat2 answers ENOSYS: the kernel is older, or a filter hides it");
  }

  @Test
  void aCallThatIsForbiddenIsNamedWithItsAnswer() {
    KernelFeatures features = KernelFeatures.probe(newest(Set.of("mountSetattr"), Abi.EPERM));

    assertThat(missing(features)).containsExactly(Feature.MOUNT_SETATTR);
    assertThat(features.obstacle(Feature.MOUNT_SETATTR))
        .contains(
            "mount_setattr answers EPERM: this process lacks the privilege, or a filter forbids"
                + " it");
  }

  @Test
  void anInvalidArgumentMeansThatTheFeatureIsMissing() {
    KernelFeatures features = KernelFeatures.probe(newest(Set.of("fanotifyInit"), Abi.EINVAL));

    assertThat(missing(features)).containsExactly(Feature.FANOTIFY_MOUNTS);
    assertThat(features.obstacle(Feature.FANOTIFY_MOUNTS)).contains("fanotify_init answers EINVAL");
  }

  @Test
  void aTreeThatCannotBeMovedIsOfNoUse() {
    KernelFeatures features = KernelFeatures.probe(newest(Set.of("moveMount"), Abi.ENOSYS));

    assertThat(missing(features)).containsExactly(Feature.OPEN_TREE);
    assertThat(features.obstacle(Feature.OPEN_TREE))
        .contains("move_mount answers ENOSYS: the kernel is older, or a filter hides it");
  }

  @Test
  void aNamespaceThatCannotBeOpenedIsNotWatched() {
    KernelFeatures features = KernelFeatures.probe(newest(Set.of("openat"), Abi.ENOENT));

    assertThat(missing(features)).containsExactly(Feature.FANOTIFY_MOUNTS);
    assertThat(closed).doesNotContain(-Abi.ENOENT);
  }

  @Test
  void withoutStatxThereAreNoUniqueIds() {
    KernelFeatures features = KernelFeatures.probe(newest(Set.of("statx"), Abi.ENOSYS));

    assertThat(missing(features))
        .containsExactlyInAnyOrder(
            Feature.STATX_MOUNT_ROOT,
            Feature.STATX_UNIQUE_ID,
            Feature.STATMOUNT,
            Feature.LISTMOUNT);
    assertThat(features.obstacle(Feature.STATMOUNT)).contains("it needs statx with unique ids");
    assertThat(features.hasUniqueIds()).isFalse();
  }

  @Test
  void aStatxWithoutTheAttributeIsTooOld() {
    Syscalls old =
        ScriptedCalls.answering(
            (call, arguments) -> call.equals("statx") ? 0 : answer(call, arguments));

    KernelFeatures features = KernelFeatures.probe(old);

    assertThat(features.obstacle(Feature.STATX_MOUNT_ROOT))
        .contains("statx does not report it before Linux 5.8");
    assertThat(features.obstacle(Feature.STATX_UNIQUE_ID))
        .contains("statx does not report it before Linux 6.8");
  }

  @Test
  void uniqueIdsNeedAllThreeCalls() {
    KernelFeatures all = KernelFeatures.probe(newest(Set.of(), 0));

    for (Feature each : List.of(Feature.STATX_UNIQUE_ID, Feature.STATMOUNT, Feature.LISTMOUNT)) {
      assertThat(all.without(each, "hidden").hasUniqueIds()).isFalse();
    }
  }

  @Test
  void doingWithoutAFeatureLeavesTheOthersAndTheOriginal() {
    KernelFeatures all = KernelFeatures.probe(newest(Set.of(), 0));

    KernelFeatures fewer = all.without(Feature.STATMOUNT, "hidden");

    assertThat(missing(fewer)).containsExactly(Feature.STATMOUNT);
    assertThat(fewer.obstacle(Feature.STATMOUNT)).contains("hidden");
    assertThat(missing(all)).isEmpty();
  }

  private Syscalls newest(Set<String> refused, int errno) {
    return ScriptedCalls.answering(
        (call, arguments) -> refused.contains(call) ? -errno : answer(call, arguments));
  }

  private int answer(String call, Object[] arguments) {
    switch (call) {
      case "statx" -> {
        byte[] out = (byte[]) arguments[4];
        Struct.u32(out, Abi.STATX_AT_MASK, Abi.STATX_TYPE | Abi.STATX_MNT_ID_UNIQUE);
        Struct.u64(out, Abi.STATX_AT_ATTRIBUTES_MASK, Abi.STATX_ATTR_MOUNT_ROOT);
        return 0;
      }
      case "openat", "openat2", "openTree", "fanotifyInit" -> {
        return next++;
      }
      case "close" -> {
        closed.add((Integer) arguments[0]);
        return 0;
      }
      case "moveMount", "mountSetattr" -> {
        return -Abi.EBADF;
      }
      default -> {
        return 0;
      }
    }
  }

  private static Set<Feature> missing(KernelFeatures features) {
    Set<Feature> missing = EnumSet.allOf(Feature.class);
    missing.removeIf(features::has);
    return missing;
  }
}
