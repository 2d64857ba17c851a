package io.csi4j.volume.internal.real;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.mount.MountTable;
import io.csi4j.mount.model.BindRequest;
import io.csi4j.mount.model.DeviceId;
import io.csi4j.mount.model.Errno;
import io.csi4j.mount.model.FilesystemRequest;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRef;
import io.csi4j.testkit.mount.KernelCall;
import io.csi4j.testkit.mount.MemoryKernel;
import io.csi4j.testkit.mount.MemoryNamespace;
import io.csi4j.testkit.mount.OpenHandle;
import io.csi4j.testkit.mount.ServerState;
import io.csi4j.volume.internal.disk.RealDisk;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.internal.record.Place;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is seen of a kernel in memory. */
class SystemKernelMountsTest {

  private final MemoryKernel kernel = new MemoryKernel();
  private final MemoryNamespace host = kernel.host();
  private final SystemKernelMounts mounts =
      new SystemKernelMounts(
          kernel.table(), kernel.mounts(), new RealDisk(), () -> new Place(kernel.bootId(), 7));
  private final MountPath target = host.directory(MountPath.of("/manager/v/a"));

  private static MountPath at(String path) {
    return MountPath.of(path);
  }

  private Sighting only(MountPath path) {
    assertThat(mounts.at(path)).hasSize(1);
    return mounts.at(path).get(0);
  }

  /** Mounts what a server has to answer for, which from then on is like this. */
  private void server(ServerState state) {
    kernel
        .mounts()
        .mount(FilesystemRequest.builder("nfs4", KernelText.of("server:/export"), target).build());
    host.server(target, state);
  }

  private static List<String> types(List<Sighting> seen) {
    return seen.stream().map(each -> each.evidence().type()).toList();
  }

  @Test
  void thePlaceIsThatOfTheKernel() {
    assertThat(mounts.place()).isEqualTo(new Place(kernel.bootId(), 7));
  }

  @Test
  void whereNothingIsMountedNothingIsSeenAndTheTableIsNotRead() {
    // Whoever reads the table would meet this.
    kernel.failNext(KernelCall.LIST, new Errno(5));

    assertThat(mounts.at(target)).isEmpty();
    assertThat(mounts.at(at("/manager/missing/x"))).isEmpty();
    assertThat(catchThrowableOfType(MountException.class, () -> mounts.beneath(target)))
        .isNotNull();
  }

  @Test
  void aMountIsSeenWithWhatTellsItFromOthers() {
    host.tmpfs(target);

    Sighting seen = only(target);
    assertThat(seen.path()).isEqualTo(target);
    assertThat(seen.broken()).isFalse();
    assertThat(seen.evidence().type()).isEqualTo("tmpfs");
    assertThat(seen.evidence().root()).isEqualTo("/");
    assertThat(seen.evidence().readOnly()).isFalse();
    assertThat(MountRef.parse(seen.evidence().ref()))
        .isEqualTo(kernel.table().find(target).orElseThrow().ref());
    assertThat(seen.device())
        .isEqualTo(kernel.table().find(target).orElseThrow().device().toString());
  }

  @Test
  void aMountOrAFilesystemThatTakesNoWritesIsReadOnly() {
    MountPath source = host.directory(at("/source"));
    kernel.mounts().bind(BindRequest.builder(source, target).readOnly(true).build());
    assertThat(only(target).evidence().readOnly()).isTrue();

    MountPath whole = host.directory(at("/manager/v/whole"));
    MountPath bound = host.directory(at("/manager/v/bound"));
    kernel
        .mounts()
        .mount(
            FilesystemRequest.builder("tmpfs", KernelText.of("tmpfs"), whole)
                .readOnly(true)
                .build());
    host.bind(whole, bound);
    assertThat(only(bound).evidence().readOnly()).isTrue();
  }

  @Test
  @Tag("H9")
  void aBindOfTheSameFilesystemIsAMount() {
    MountPath source = host.directory(at("/source"));
    assertThat(mounts.at(target)).isEmpty();
    host.bind(source, target);

    Sighting seen = only(target);
    assertThat(seen.evidence().type()).isEqualTo("ext4");
    assertThat(seen.evidence().root())
        .as("H9: a bind on its own filesystem is seen as a mount")
        .isEqualTo("/source");
    assertThat(seen.device())
        .isEqualTo(kernel.table().find(MountPath.ROOT).orElseThrow().device().toString());
  }

  @Test
  void whatIsStackedIsSeenFromTheBottomUp() {
    host.tmpfs(target);
    host.bind(host.directory(at("/one")), target);
    host.bind(host.directory(at("/two")), target);

    assertThat(mounts.at(target))
        .extracting(each -> each.evidence().root())
        .containsExactly("/", "/one", "/two");
    assertThat(mounts.beneath(at("/manager"))).isEqualTo(mounts.at(target));
  }

  @Test
  void aDeviceThatIsHeldStaysSoWhileItsMountIsGone() {
    List<String> open = new CopyOnWriteArrayList<>();
    List<String> told = new CopyOnWriteArrayList<>();
    HeldDevices held =
        new HeldDevices(
            (path, number) -> {
              open.add(number);
              return () -> open.remove(number);
            },
            Runnable::run);
    assertThat(held.hold(target, "7:1", problem -> problem.ifPresent(told::add))).isTrue();

    assertThat(mounts.holding(held).hold(target, problem -> problem.ifPresent(told::add)))
        .isFalse();

    assertThat(open).containsExactly("7:1");
    assertThat(told).isEmpty();
  }

  @Test
  void strangePathsAreSeenAsTheyAre() {
    MountPath strange = host.directory(at("/manager/a b\t\n\\\u00e9"));
    host.tmpfs(strange);

    assertThat(only(strange).path()).isEqualTo(strange);
    assertThat(mounts.beneath(at("/manager"))).extracting(Sighting::path).containsExactly(strange);
  }

  @Test
  void aMountWhoseSourceWasDeletedIsBrokenAndLooksLikeItself() {
    MountPath source = host.directory(at("/source"));
    host.bind(source, target);
    Sighting before = only(target);
    host.remove(source);

    Sighting after = only(target);
    assertThat(before.broken()).isFalse();
    assertThat(after.broken()).isTrue();
    assertThat(after.evidence()).isEqualTo(before.evidence());
    assertThat(mounts.beneath(at("/manager"))).containsExactly(after);
  }

  @Test
  void aMountWhoseServerIsGoneIsBrokenAndCanBeTakenAway() {
    server(ServerState.DEAD);

    assertThat(only(target).broken()).isTrue();
    assertThat(mounts.device(target)).isEmpty();
    mounts.unmount(target);
    assertThat(mounts.at(target)).isEmpty();
  }

  @Test
  void aMountWhoseServerHangsIsSeenAsItIs() {
    server(ServerState.HUNG);

    assertThat(only(target).broken()).isFalse();
    assertThat(mounts.device(target)).isEmpty();
    assertThat(mounts.device(target)).isEmpty();
  }

  @Test
  void aRootThatIsItselfABindIsNotCountedAsAMountOfItsOwn() {
    MountPath real = host.directory(at("/real/v/a"));
    host.directory(at("/bound"));
    host.bind(at("/real"), at("/bound"));
    MountPath below = at("/bound/v/a");
    host.tmpfs(below);

    assertThat(mounts.beneath(at("/bound"))).extracting(Sighting::path).containsExactly(below);
    assertThat(mounts.beneath(at("/real"))).isEmpty();
    assertThat(mounts.at(real)).isEmpty();
    assertThat(mounts.at(at("/bound"))).hasSize(1);
  }

  @Test
  void everythingBelowADirectoryIsSeenInOneLook() {
    List<MountPath> paths =
        IntStream.range(0, 50)
            .mapToObj(each -> host.directory(at("/manager/v/many/" + each)))
            .toList();
    paths.forEach(host::tmpfs);
    host.tmpfs(host.directory(at("/elsewhere")));
    host.tmpfs(host.directory(at("/managerial")));

    assertThat(mounts.beneath(at("/manager")))
        .extracting(Sighting::path)
        .containsExactlyInAnyOrderElementsOf(paths);
  }

  @Test
  void whoElseHasADeviceMountedIsFoundWithoutAListOfAllMounts() {
    AtomicInteger lists = new AtomicInteger();
    SystemKernelMounts counted =
        new SystemKernelMounts(
            counting(lists), kernel.mounts(), new RealDisk(), () -> new Place(kernel.bootId(), 7));
    DeviceId device = host.disk("ext4");
    MountPath node = host.device(at("/dev/disk"), device);
    var unused =
        kernel
            .mounts()
            .mount(
                FilesystemRequest.builder("ext4", KernelText.ofBytes(node.bytes()), target)
                    .build());
    host.bind(target, host.directory(at("/manager/v/b")));
    host.tmpfs(host.directory(at("/other")));

    assertThat(counted.elsewhere(target, at("/manager"))).isEmpty();
    assertThat(lists).hasValue(0);

    host.bind(target, host.directory(at("/backup")));
    assertThat(counted.elsewhere(target, at("/manager")))
        .extracting(Sighting::path)
        .containsExactly(at("/backup"));
  }

  /** The table of the kernel, which counts how often all of it is read. */
  private MountTable counting(AtomicInteger lists) {
    return (MountTable)
        Proxy.newProxyInstance(
            MountTable.class.getClassLoader(),
            new Class<?>[] {MountTable.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("list")) {
                lists.incrementAndGet();
              }
              return method.invoke(kernel.table(), arguments);
            });
  }

  @Test
  void whatIsInUseIsTakenAwayAllTheSame() {
    host.tmpfs(target);
    host.file(target.resolve("f"));
    try (OpenHandle held = host.open(target.resolve("f"))) {
      assertThat(mounts.holders(target).orElseThrow()).contains("process " + held.pid());
      mounts.unmount(target);

      assertThat(mounts.at(target)).isEmpty();
      assertThat(mounts.holders(target)).isEmpty();
    }
  }

  @Test
  void aWholeStackIsTakenAway() {
    host.tmpfs(target);
    host.bind(host.directory(at("/source")), target);
    assertThat(types(mounts.at(target))).containsExactly("tmpfs", "ext4");
    assertThat(types(mounts.beneath(at("/manager")))).containsExactly("tmpfs", "ext4");

    mounts.unmount(target);
    assertThat(mounts.at(target)).isEmpty();
    mounts.unmount(target);
  }

  @Test
  void holdersBeyondMeasureAreCounted() {
    host.tmpfs(target);
    host.file(target.resolve("f"));
    List<OpenHandle> held =
        IntStream.range(0, 20).mapToObj(each -> host.open(target.resolve("f"))).toList();

    assertThat(mounts.holders(target).orElseThrow()).endsWith(", and 12 more");
    held.forEach(OpenHandle::close);
  }

  @Test
  void otherMountsOfTheSameFilesystemDoNotKeepItInUse() {
    host.bind(host.directory(at("/source")), target);
    host.bind(host.directory(at("/source")), host.directory(at("/of-a-stranger")));
    MemoryNamespace container = host.unshare();

    assertThat(container.table().find(target)).isPresent();
    assertThat(mounts.holders(target)).isEmpty();
    host.tmpfs(host.directory(target.resolve("below")));
    assertThat(mounts.holders(target))
        .hasValueSatisfying(
            text -> assertThat(text).isEqualTo("the mount at " + target + "/below below it"));
  }
}
