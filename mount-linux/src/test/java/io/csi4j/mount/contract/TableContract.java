package io.csi4j.mount.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountProbe;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.MountSnapshot;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is seen of mounts: cases D and T of the mount facts. */
public abstract class TableContract extends MountsContract {

  @Test
  void aMountIsAMountAndADirectoryIsNot() {
    MountPath mount = world.tmpfs("mount");

    assertThat(world.table().probe(mount))
        .isEqualTo(new MountProbe.Mounted(record(mount).ref(), MountProbe.Health.OK));
    assertThat(world.table().probe(world.directory("mount/below")))
        .isEqualTo(new MountProbe.NotAMount());
    assertThat(world.table().probe(world.directory("directory")))
        .isEqualTo(new MountProbe.NotAMount());
    assertThat(world.table().probe(world.path("missing"))).isEqualTo(new MountProbe.Missing());
    assertThat(world.table().find(world.path("missing"))).isEmpty();
    assertThat(world.table().probe(MountPath.ROOT).isMount()).isTrue();
  }

  @Test
  void theMountOfAPathChangesWithAMountOverItOrAboveIt() {
    MountPath outer = world.tmpfs("outer");
    MountPath deep = world.directory("outer/a/b");
    Optional<MountRef.Identity> before = world.table().mountOf(deep);
    assumeThat(before).as("this kernel numbers its mounts").isPresent();
    assertThat(before).contains(record(outer).ref().identity());
    assertThat(world.table().mountOf(outer)).isEqualTo(before);

    MountPath above = world.path("outer/a");
    world.bind(above, above);
    assertThat(world.table().mountOf(deep)).contains(record(above).ref().identity());
    assertThat(world.table().mountOf(outer)).isEqualTo(before);

    world.bind(world.directory("empty"), outer);
    assertThat(world.table().mountOf(deep)).isEmpty();
    assertThat(world.table().mountOf(world.path("missing"))).isEmpty();
  }

  @Test
  void belowAFileNothingIsFound() {
    world.file("file", "");

    assertThat(world.table().probe(world.path("file/below"))).isEqualTo(new MountProbe.Missing());
  }

  @Test
  void aBindOfADirectoryInTheSameFilesystemIsAMount() {
    MountPath target = world.directory("target");
    world.bind(world.directory("source"), target);
    MountPath self = world.directory("self");
    world.bind(self, self);
    MountPath file = world.file("file", "");
    world.bind(world.file("other", ""), file);

    assertThat(isMount(target)).isTrue();
    assertThat(isMount(self)).isTrue();
    assertThat(isMount(file)).isTrue();
  }

  @Test
  void aLinkToAMountIsNoMountAndALinkOnTheWayIsFollowed() {
    world.directory("real");
    MountPath mount = world.tmpfs("real/mount");
    MountPath link = world.symlink("link", mount);
    world.symlink("way", world.path("real"));

    assertThat(world.table().probe(link)).isEqualTo(new MountProbe.NotAMount());
    assertThat(world.table().find(world.path("way/mount")).map(MountRecord::ref))
        .contains(record(mount).ref());
  }

  @Test
  void linksInACircleAreRefused() {
    world.symlink("one", world.path("two"));
    world.symlink("two", world.path("one"));

    refusal(Reason.SYMLINK, () -> world.table().probe(world.path("one/x")));
  }

  @Test
  void aNameThatIsTooLongIsRefused() {
    assertThat(world.table().probe(world.path("x".repeat(255))))
        .isEqualTo(new MountProbe.Missing());
    refusal(Reason.BAD_OPTIONS, () -> world.table().probe(world.path("x".repeat(256))));
  }

  @Test
  void aMountUnderAMountOverItsDirectoryIsHidden() {
    MountPath hidden = world.tmpfs("directory/hidden");
    world.tmpfsOver(world.path("directory"));

    assertThat(world.table().probe(hidden)).isEqualTo(new MountProbe.Missing());
    assertThat(mountsAt(hidden)).hasSize(1);
    assertThat(world.table().list().at(hidden)).isPresent();

    world.directory("directory/hidden");
    assertThat(world.table().probe(hidden)).isEqualTo(new MountProbe.NotAMount());
  }

  @Test
  void theTopOfAStackIsFoundAndKnowsWhatItIsOn() {
    MountPath mount = world.tmpfs("mount");
    MountRecord lower = record(mount);
    world.tmpfsOver(mount);

    MountRecord upper = record(mount);

    assertThat(upper.ref()).isNotEqualTo(lower.ref());
    assertThat(upper.parentId()).isEqualTo(lower.id());
    assertThat(world.table().list().at(mount)).contains(upper);
    assertThat(world.table().children(lower.ref())).containsExactly(upper);
  }

  @Test
  void anOlderMountThatIsMovedOnTopIsOnTop() {
    MountPath older = world.tmpfs("older");
    MountRef ref = record(older).ref();
    MountPath mount = world.tmpfs("mount");

    world.move(older, mount);

    assertThat(record(mount).ref().identity()).isEqualTo(ref.identity());
    assertThat(world.table().list().at(mount).orElseThrow().ref().identity())
        .isEqualTo(ref.identity());
  }

  @Test
  void childrenAreTheMountsDirectlyOnAMount() {
    MountPath mount = world.tmpfs("mount");
    MountPath one = world.tmpfs("mount/one");
    world.tmpfs("mount/one/deep");
    MountPath two = world.tmpfs("mount/two");
    MountRef ref = record(mount).ref();

    assertThat(world.table().children(ref)).extracting(MountRecord::path).containsExactly(one, two);

    world.detach(mount);
    assertThat(world.table().children(ref)).isEmpty();
  }

  @Test
  void newerMountsAreThoseThatWereMadeAfterIt() {
    world.tmpfs("older");
    MountRef ref = record(world.tmpfs("mount")).ref();
    assertThat(ours(ref)).isEmpty();

    MountPath gone = world.tmpfs("gone");
    MountPath inside = world.tmpfs("mount/inside");
    MountPath last = world.tmpfs("last");
    assertThat(ours(ref)).extracting(MountRecord::path).containsExactly(gone, inside, last);
    assertThat(ours(ref)).contains(record(last));

    world.detach(gone);
    assertThat(ours(ref)).extracting(MountRecord::path).containsExactly(inside, last);
    world.detach(world.path("mount/inside"));
    world.detach(world.path("mount"));
    assertThat(ours(ref)).isEmpty();
  }

  /** Other programs may mount at the same time, elsewhere. */
  private List<MountRecord> ours(MountRef than) {
    return world.table().newer(than, each -> each.path().isWithin(world.path("")));
  }

  @Test
  void refsAreTheMountsOfOneDirectory() {
    MountPath source = world.directory("source");
    MountPath one = world.directory("one");
    MountPath two = world.directory("two");
    world.bind(source, one);
    world.bind(source, two);
    MountRecord record = record(one);

    assertThat(world.table().refs(record.device(), record.root()))
        .extracting(MountRecord::path)
        .containsExactly(one, two);
  }

  @Test
  void aReferenceTellsWhatBecameOfItsMount() {
    MountPath mount = world.tmpfs("mount");
    MountRef first = record(mount).ref();
    assertThat(world.table().check(first)).isEqualTo(new MountRef.Check.Present());

    world.tmpfsOver(mount);
    MountRef second = record(mount).ref();
    assertThat(world.table().check(first)).isEqualTo(new MountRef.Check.Present());

    world.detach(mount);
    assertThat(world.table().check(second)).isEqualTo(new MountRef.Check.Replaced(first));

    MountPath to = world.directory("to");
    world.move(mount, to);
    assertThat(world.table().check(first)).isEqualTo(new MountRef.Check.Moved(record(to).ref()));
    assertThat(world.table().check(second)).isEqualTo(new MountRef.Check.Gone());

    world.detach(to);
    assertThat(world.table().check(first)).isEqualTo(new MountRef.Check.Gone());
  }

  @Test
  void aReferenceOfAnotherBootIsGoneOrReplaced() {
    MountPath mount = world.tmpfs("mount");
    MountRef now = record(mount).ref();
    String otherBoot = "11111111-2222-4333-8444-555555555555";
    MountRef before = new MountRef(mount, otherBoot, now.identity());

    assertThat(world.table().check(before)).isEqualTo(new MountRef.Check.Replaced(now));
    assertThat(world.table().check(new MountRef(world.path("x"), otherBoot, now.identity())))
        .isEqualTo(new MountRef.Check.Gone());
    assertThat(world.table().children(before)).isEmpty();
  }

  @Test
  void aMountInARenamedDirectoryIsAtItsNewPath() {
    MountPath mount = world.tmpfs("old/mount");
    MountRef ref = record(mount).ref();

    world.rename(world.path("old"), world.path("new"));

    assertThat(world.table().check(ref))
        .isEqualTo(new MountRef.Check.Moved(record(world.path("new/mount")).ref()));
  }

  @Test
  void aRefreshTellsWhatCameAndWent() {
    MountPath stays = world.tmpfs("stays");
    MountPath goes = world.tmpfs("goes");
    MountSnapshot before = world.table().list(each -> each.path().isWithin(world.path("")));
    MountRecord gone = record(goes);

    assertThat(before.refresh().isEmpty()).isTrue();
    world.detach(goes);
    MountPath comes = world.tmpfs("comes");
    MountSnapshot.Changes changes = before.refresh();

    assertThat(changes.added()).containsExactly(record(comes));
    assertThat(changes.removed()).containsExactly(gone);
    assertThat(changes.now().records())
        .containsExactlyElementsOf(
            world.table().list(each -> each.path().isWithin(world.path(""))).records());
    assertThat(changes.now().at(stays)).isPresent();
    assertThat(changes.now().refresh().isEmpty()).isTrue();
  }

  @Test
  void everyMountIsListedOnceWithThePlaceItIsOn() {
    world.tmpfs("a/b");
    world.tmpfs("a/b/c");
    List<MountRecord> all = world.table().list().records();

    assertThat(all).extracting(record -> record.ref().identity()).doesNotHaveDuplicates();
    assertThat(all).extracting(MountRecord::id).doesNotHaveDuplicates();
    assertThat(record(world.path("a/b/c")).parentId()).isEqualTo(record(world.path("a/b")).id());
  }
}
