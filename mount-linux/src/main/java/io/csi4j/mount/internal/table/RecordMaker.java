package io.csi4j.mount.internal.table;

import io.csi4j.mount.model.DeviceId;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountFlag;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.PropagationTags;
import java.util.List;
import java.util.Set;

/** Makes mounts of the rows of one table, whose fields have been found. For one thread. */
final class RecordMaker {

  private final String bootId;
  private final RowNames names;
  private final SharedTexts<KernelText> roots = new SharedTexts<>(RecordMaker::name);
  private final SharedTexts<KernelText> types = new SharedTexts<>(RecordMaker::name);
  private final SharedTexts<KernelText> sources = new SharedTexts<>(RecordMaker::name);
  private final SharedTexts<Set<MountFlag>> flags = new SharedTexts<>(RowFields::flags);
  private final SharedTexts<PropagationTags> tags = new SharedTexts<>(RowFields::propagation);
  private final SharedTexts<List<KernelText>> options = new SharedTexts<>(RowFields::options);
  private DeviceId lastDevice = new DeviceId(0, 0);

  RecordMaker(String bootId, RowNames names) {
    this.bootId = bootId;
    this.names = names;
  }

  /** The mount of a row. */
  MountRecord make(RowPage page, int row) {
    byte[] text = page.text();
    int id = page.get(row, RowPage.ID);
    int parent = page.get(row, RowPage.PARENT);
    int place = page.get(row, RowPage.PLACE);
    DeviceId device = device(page.get(row, RowPage.MAJOR), page.get(row, RowPage.MINOR));
    int path = page.get(row, RowPage.PATH);
    int flagsFrom = page.get(row, RowPage.FLAGS);
    int tagsFrom = page.get(row, RowPage.TAGS);
    int type = page.get(row, RowPage.TYPE);
    int source = page.get(row, RowPage.SOURCE);
    int optionsFrom = page.get(row, RowPage.OPTIONS);
    KernelText root = roots.get(text, page.get(row, RowPage.ROOT), path - 1);
    return new MountRecord(
        new MountRef(
            RowScan.path(text, path, flagsFrom - 1),
            bootId,
            names.identity(place, id, device, root)),
        id,
        parent,
        names.uniqueParent(place),
        device,
        root,
        flags.get(text, flagsFrom, tagsFrom - 1),
        propagation(text, tagsFrom, type - "- ".length()),
        types.get(text, type, source - 1),
        sources.get(text, source, optionsFrom - 1),
        options.get(text, optionsFrom, page.get(row, RowPage.END)));
  }

  private static KernelText name(byte[] escaped) {
    return KernelText.ofBytes(RowFields.unescape(escaped));
  }

  private DeviceId device(int major, int minor) {
    if (major != lastDevice.major() || minor != lastDevice.minor()) {
      lastDevice = new DeviceId(major, minor);
    }
    return lastDevice;
  }

  private PropagationTags propagation(byte[] text, int from, int dash) {
    return from == dash ? PropagationTags.PRIVATE : tags.get(text, from, dash - 1);
  }
}
