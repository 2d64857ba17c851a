package io.csi4j.mount;

import io.csi4j.mount.MountWatch.Watching;
import io.csi4j.mount.model.BindRequest;
import io.csi4j.mount.model.CleanupResult;
import io.csi4j.mount.model.FileOwnership;
import io.csi4j.mount.model.FilesystemRequest;
import io.csi4j.mount.model.Holders;
import io.csi4j.mount.model.MountEvent;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountProbe;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.MountResult;
import io.csi4j.mount.model.MountSnapshot;
import io.csi4j.mount.model.OpenPath;
import io.csi4j.mount.model.OwnershipResult;
import io.csi4j.mount.model.Propagation;
import io.csi4j.mount.model.UnmountPolicy;
import io.csi4j.mount.model.UnmountResult;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** A stand-in if no kernel is available. Every operation throws the reason. */
final class UnavailableMounts implements MountTable, Mounts, MountWatch {

  private final Supplier<MountException> why;
  private final Optional<MountTable> text;

  /**
   * Creates a stand-in.
   *
   * @param why makes the exception that each operation throws
   * @param text the table that can still be listed, because that needs no native calls
   */
  UnavailableMounts(Supplier<MountException> why, Optional<MountTable> text) {
    this.why = why;
    this.text = text;
  }

  @Override
  public MountSnapshot list() {
    return text.orElseThrow(why).list();
  }

  @Override
  public MountSnapshot list(Predicate<MountRecord> filter) {
    return text.orElseThrow(why).list(filter);
  }

  @Override
  public MountSnapshot listOf(long process) {
    return text.orElseThrow(why).listOf(process);
  }

  @Override
  public MountProbe probe(MountPath path) {
    throw why.get();
  }

  @Override
  public Optional<MountRef.Identity> mountOf(MountPath path) {
    throw why.get();
  }

  @Override
  public Optional<MountRecord> find(MountPath path) {
    throw why.get();
  }

  @Override
  public MountRef.Check check(MountRef ref) {
    throw why.get();
  }

  @Override
  public OptionalInt propagateFrom(MountRef ref) {
    throw why.get();
  }

  @Override
  public List<MountRecord> children(MountRef ref) {
    throw why.get();
  }

  @Override
  public Mounts beneath(MountPath base) {
    return this;
  }

  @Override
  public MountResult bind(BindRequest request) {
    throw why.get();
  }

  @Override
  public MountResult mount(FilesystemRequest request) {
    throw why.get();
  }

  @Override
  public MountRef setReadOnly(MountPath path, boolean recursive) {
    throw why.get();
  }

  @Override
  public void setPropagation(MountPath path, Propagation propagation, boolean recursive) {
    throw why.get();
  }

  @Override
  public UnmountResult unmount(MountPath path, UnmountPolicy policy) {
    throw why.get();
  }

  @Override
  public UnmountResult unmount(MountRef ref, UnmountPolicy policy) {
    throw why.get();
  }

  @Override
  public CleanupResult cleanup(MountPath path, UnmountPolicy policy) {
    throw why.get();
  }

  @Override
  public OpenPath open(MountPath path) {
    throw why.get();
  }

  @Override
  public OwnershipResult setOwnership(
      MountPath path, FileOwnership wish, Consumer<? super OwnershipResult> progress) {
    throw why.get();
  }

  @Override
  public Holders whoHolds(MountRef ref) {
    throw why.get();
  }

  @Override
  public int stuckCalls() {
    return 0;
  }

  @Override
  public Watching start(Consumer<MountEvent> listener) {
    throw why.get();
  }
}
