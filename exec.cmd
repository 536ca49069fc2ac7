@rem The scripts of package.json begin with exec, which is a command of POSIX shells. Here it stands for Windows.
@%*
