package io.csi4j.mount.internal.change;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.Mounts;
import io.csi4j.mount.RunningKernel;
import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.model.BindRequest;
import io.csi4j.mount.model.Errno;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountResult;
import io.csi4j.mount.model.Propagation;
import io.csi4j.mount.real.LibcForTests;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.Scratch;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Cases R of the mount facts: with whom mounts are shared, by the exact tags of the table. */
@MountTest
class PropagationChangeTest {

  @ParameterizedTest
  @EnumSource
  void eachPropagationHasItsTags(Rung rung, Scratch scratch) throws Exception {
    MountPath volume = scratch.tmpfs("volume");
    MountPath peer = scratch.directory("peer");
    rung.run(
        (mounts, kernel) -> {
          assertThat(tags(scratch, volume)).isEmpty();

          mounts.setPropagation(volume, Propagation.BIDIRECTIONAL, false);
          assertThat(tags(scratch, volume)).singleElement().asString().startsWith("shared:");
          String group = tags(scratch, volume).get(0).substring("shared:".length());

          mounts.bind(BindRequest.builder(volume, peer).build());
          assertThat(tags(scratch, peer)).containsExactly("shared:" + group);

          mounts.setPropagation(peer, Propagation.HOST_TO_CONTAINER, false);
          assertThat(tags(scratch, peer)).containsExactly("master:" + group);

          mounts.setPropagation(peer, Propagation.BIDIRECTIONAL, false);
          assertThat(tags(scratch, peer)).hasSize(2);
          assertThat(tags(scratch, peer).get(0))
              .startsWith("shared:")
              .isNotEqualTo("shared:" + group);
          assertThat(tags(scratch, peer).get(1)).isEqualTo("master:" + group);

          mounts.setPropagation(peer, Propagation.PRIVATE, false);
          assertThat(tags(scratch, peer)).isEmpty();
          mounts.setPropagation(peer, Propagation.HOST_TO_CONTAINER, false);
          assertThat(tags(scratch, peer)).isEmpty();
        });
  }

  @ParameterizedTest
  @EnumSource
  void itIsSetBelowOnlyIfThatIsAskedFor(Rung rung, Scratch scratch) throws Exception {
    MountPath volume = scratch.tmpfs("volume");
    MountPath below = scratch.tmpfs("volume/below");
    rung.run(
        (mounts, kernel) -> {
          mounts.setPropagation(volume, Propagation.BIDIRECTIONAL, false);
          assertThat(tags(scratch, volume)).hasSize(1);
          assertThat(tags(scratch, below)).isEmpty();

          mounts.setPropagation(volume, Propagation.BIDIRECTIONAL, true);
          assertThat(tags(scratch, below)).hasSize(1);

          mounts.setPropagation(volume, Propagation.PRIVATE, true);
          assertThat(tags(scratch, volume)).isEmpty();
          assertThat(tags(scratch, below)).isEmpty();
        });
  }

  @ParameterizedTest
  @EnumSource
  void whatIsNoMountHasNoPropagation(Rung rung, Scratch scratch) throws Exception {
    MountPath plain = scratch.directory("plain");
    rung.run(
        (mounts, kernel) -> {
          for (Propagation each : Propagation.values()) {
            MountException refused = Refusal.of(() -> mounts.setPropagation(plain, each, true));
            assertThat(refused.reason()).isEqualTo(Reason.NOT_A_MOUNT);
            assertThat(refused)
                .hasMessage(
                    "Making "
                        + plain
                        + " "
                        + each.kernelWord()
                        + " failed: nothing is mounted there. Bind the directory to itself first,"
                        + " or name the mount that it is in.");
          }
          assertThat(tags(scratch, scratch.root())).isEmpty();
        });
  }

  @ParameterizedTest
  @EnumSource
  void theTrustedDirectoryItselfCanBeShared(Rung rung, Scratch scratch) throws Exception {
    MountPath plain = scratch.directory("plain");
    rung.run(
        (mounts, kernel) -> {
          mounts
              .beneath(scratch.root())
              .setPropagation(scratch.root(), Propagation.BIDIRECTIONAL, false);
          assertThat(tags(scratch, scratch.root())).hasSize(1);
          MountException refused =
              Refusal.of(
                  () ->
                      mounts
                          .beneath(plain)
                          .setPropagation(plain, Propagation.BIDIRECTIONAL, false));
          assertThat(refused.reason()).isEqualTo(Reason.NOT_A_MOUNT);
        });
  }

  @ParameterizedTest
  @EnumSource
  void aBindOntoASharedPlaceIsSharedAndAppearsAtEveryPeer(Rung rung, Scratch scratch)
      throws Exception {
    MountPath source = scratch.tmpfs("source");
    MountPath place = scratch.tmpfs("place");
    MountPath peer = scratch.directory("peer");
    scratch.directory("place/t");
    rung.run(
        (mounts, kernel) -> {
          mounts.setPropagation(place, Propagation.BIDIRECTIONAL, false);
          mounts.bind(BindRequest.builder(place, peer).build());
          mounts.bind(BindRequest.builder(source, scratch.path("place/t")).build());

          assertThat(tags(scratch, scratch.path("place/t"))).hasSize(1);
          assertThat(tags(scratch, scratch.path("peer/t")))
              .isEqualTo(tags(scratch, scratch.path("place/t")));
          assertThat(tags(scratch, source)).isEmpty();

          assertThat(scratch.rawUnmount(scratch.path("peer/t"), Abi.UMOUNT_NOFOLLOW)).isZero();
          assertThat(scratch.rows(scratch.path("place/t"))).isEmpty();
        });
  }

  @ParameterizedTest
  @EnumSource
  void aBindHasThePropagationThatWasAskedForWhereverItIs(Rung rung, Scratch scratch)
      throws Exception {
    MountPath source = scratch.tmpfs("source");
    MountPath place = scratch.tmpfs("place");
    rung.run(
        (mounts, kernel) -> {
          mounts.setPropagation(source, Propagation.BIDIRECTIONAL, false);
          mounts.setPropagation(place, Propagation.BIDIRECTIONAL, false);
          String group = tags(scratch, source).get(0).substring("shared:".length());
          bound(mounts, source, scratch.path("place/private"), Propagation.PRIVATE);
          bound(mounts, source, scratch.path("place/slave"), Propagation.HOST_TO_CONTAINER);
          bound(mounts, source, scratch.path("place/shared"), Propagation.BIDIRECTIONAL);

          assertThat(tags(scratch, scratch.path("place/private"))).isEmpty();
          assertThat(tags(scratch, scratch.path("place/slave"))).containsExactly("master:" + group);
          assertThat(tags(scratch, scratch.path("place/shared")))
              .containsExactly("shared:" + group);
        });
  }

  @ParameterizedTest
  @EnumSource
  void anotherPropagationIsInTheWayOfABind(Rung rung, Scratch scratch) throws Exception {
    MountPath source = scratch.tmpfs("source");
    MountPath target = scratch.directory("target");
    rung.run(
        (mounts, kernel) -> {
          bound(mounts, source, target, Propagation.PRIVATE);
          MountException refused =
              Refusal.of(() -> bound(mounts, source, target, Propagation.BIDIRECTIONAL));

          assertThat(refused.reason()).isEqualTo(Reason.TARGET_OCCUPIED);
          assertThat(refused)
              .hasMessageContaining("differs in propagation (private instead of rshared)");
          // A slave of nobody is private, so this is what was asked for.
          mounts.bind(
              BindRequest.builder(source, target)
                  .propagation(Propagation.HOST_TO_CONTAINER)
                  .build());
          assertThat(scratch.rows(target)).hasSize(1);
        });
  }

  @ParameterizedTest
  @EnumSource
  void whatIsUnbindableIsNotBoundAndLeftOutOfARecursiveBind(Rung rung, Scratch scratch)
      throws Exception {
    MountPath source = scratch.tmpfs("source");
    MountPath secret = scratch.tmpfs("source/secret");
    scratch.tmpfs("source/open");
    scratch.rawMount("none", scratch.file("source/secret"), "none", Abi.MS_UNBINDABLE, null);
    assertThat(tags(scratch, secret)).containsExactly("unbindable");
    MountPath target = scratch.directory("target");
    rung.run(
        (mounts, kernel) -> {
          MountException refused =
              Refusal.of(() -> mounts.bind(BindRequest.builder(secret, target).build()));
          assertThat(refused.reason()).isEqualTo(Reason.BAD_SOURCE);
          assertThat(refused.errno()).contains(new Errno(Abi.EINVAL));

          mounts.bind(BindRequest.builder(source, target).recursive(true).build());
          assertThat(scratch.rows(scratch.path("target/open"))).hasSize(1);
          assertThat(scratch.rows(scratch.path("target/secret"))).isEmpty();
        });
  }

  @ParameterizedTest
  @EnumSource
  void aRecursiveBindSetsItAllTheWayDown(Rung rung, Scratch scratch) throws Exception {
    MountPath source = scratch.tmpfs("source");
    scratch.tmpfs("source/below");
    MountPath target = scratch.directory("target");
    rung.run(
        (mounts, kernel) -> {
          mounts.setPropagation(source, Propagation.BIDIRECTIONAL, true);
          mounts.bind(
              BindRequest.builder(source, target)
                  .recursive(true)
                  .propagation(Propagation.HOST_TO_CONTAINER)
                  .build());

          for (String each : List.of("target", "target/below")) {
            assertThat(tags(scratch, scratch.path(each)))
                .singleElement()
                .asString()
                .startsWith("master:");
          }
        });
  }

  @ParameterizedTest
  @EnumSource(Propagation.class)
  void aContainerSeesWhatTheHostMountsAsItWasAskedFor(Propagation propagation, Scratch scratch)
      throws Exception {
    MountPath volumes = scratch.tmpfs("volumes");
    MountPath source = scratch.tmpfs("source");
    Mounts host = Rung.mounts(RunningKernel.kernel());
    host.setPropagation(volumes, Propagation.BIDIRECTIONAL, true);
    ExecutorService container = Executors.newSingleThreadExecutor();
    try {
      container
          .submit(
              () -> {
                LibcForTests.unshareMounts();
                // Its pool is made on this thread, so it is in the container too.
                Mounts inside = Rung.mounts(RunningKernel.kernel());
                inside.setPropagation(volumes, propagation, true);
                bound(inside, source, volumes.resolve("inside"), null);
                return true;
              })
          .get();
      bound(host, source, volumes.resolve("outside"), null);
      boolean insideSeesOutside =
          container.submit(() -> !scratch.rows(volumes.resolve("outside")).isEmpty()).get();
      boolean outsideSeesInside = !scratch.rows(volumes.resolve("inside")).isEmpty();

      assertThat(insideSeesOutside).isEqualTo(propagation != Propagation.PRIVATE);
      assertThat(outsideSeesInside).isEqualTo(propagation == Propagation.BIDIRECTIONAL);
    } finally {
      container.shutdown();
    }
  }

  @Test
  void theRootDirectoryCanBeShared(Scratch scratch) {
    Mounts mounts = Rung.mounts(RunningKernel.kernel());
    try {
      mounts.setPropagation(MountPath.ROOT, Propagation.BIDIRECTIONAL, false);
      assertThat(tags(scratch, MountPath.ROOT)).hasSize(1);
    } finally {
      mounts.setPropagation(MountPath.ROOT, Propagation.PRIVATE, false);
    }
    assertThat(tags(scratch, MountPath.ROOT)).isEmpty();
  }

  private static MountResult bound(
      Mounts mounts, MountPath source, MountPath target, Propagation propagation) {
    BindRequest.Builder request = BindRequest.builder(source, target).createTarget(true);
    if (propagation != null) {
      request.propagation(propagation);
    }
    return mounts.bind(request.build());
  }

  private static List<String> tags(Scratch scratch, MountPath path) {
    List<String> fields = List.of(scratch.rows(path).get(0).split(" ", -1));
    return fields.subList(6, fields.indexOf("-"));
  }
}
