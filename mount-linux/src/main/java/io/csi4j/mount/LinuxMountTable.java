package io.csi4j.mount;

import io.csi4j.mount.internal.table.KernelTable;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountProbe;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.MountSnapshot;
import io.csi4j.mount.model.RefCheck;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** The table of a Linux kernel. */
final class LinuxMountTable implements MountTable {

  private final KernelTable table;

  LinuxMountTable(KernelTable table) {
    this.table = table;
  }

  @Override
  public MountProbe probe(MountPath path) {
    return table.probe(path);
  }

  @Override
  public Optional<MountRecord> find(MountPath path) {
    return table.find(path);
  }

  @Override
  public MountSnapshot list() {
    return table.list();
  }

  @Override
  public MountSnapshot list(Predicate<MountRecord> filter) {
    return table.list(filter);
  }

  @Override
  public MountSnapshot listOf(long process) {
    return table.listOf(process);
  }

  @Override
  public RefCheck check(MountRef ref) {
    return table.check(ref);
  }

  @Override
  public List<MountRecord> children(MountRef ref) {
    return table.children(ref);
  }
}
