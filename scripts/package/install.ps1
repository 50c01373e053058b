# Installs cli @VERSION@ for Windows: downloads one program, compares it with the checksum that stands
# here, and puts it into a folder of yours. Nothing runs that does not match, and nothing needs an
# administrator. The folder: $env:CLI_INSTALL_FOLDER, else %LOCALAPPDATA%\cli. To remove it, delete it.
$ErrorActionPreference = 'Stop'
Set-StrictMode -Version Latest

function Install-Cli {
  $from = if ($env:CLI_INSTALL_FROM) { $env:CLI_INSTALL_FROM } else { '@FROM@' }
  $folder = if ($env:CLI_INSTALL_FOLDER) { $env:CLI_INSTALL_FOLDER } else { Join-Path $env:LOCALAPPDATA 'cli' }
  $program = 'cli-x86_64-pc-windows-msvc.exe'
  $wanted = '@SUM@'
  New-Item -ItemType Directory -Force -Path $folder | Out-Null
  $work = Join-Path $folder ('.cli-' + [guid]::NewGuid() + '.exe')
  try {
    Invoke-WebRequest -UseBasicParsing -Uri "$from/$program" -OutFile $work
    $found = (Get-FileHash -Algorithm SHA256 -LiteralPath $work).Hash.ToLowerInvariant()
    if ($found -ne $wanted) {
      throw "Cannot install cli: the checksum of $from/$program is $found, not $wanted. Nothing was installed"
    }
    Move-Item -Force -LiteralPath $work -Destination (Join-Path $folder 'cli.exe')
  } finally {
    if (Test-Path -LiteralPath $work) { Remove-Item -Force -LiteralPath $work }
  }
  Write-Output "Installed cli @VERSION@ as $(Join-Path $folder 'cli.exe')"
  $first = Get-Command cli -ErrorAction SilentlyContinue
  if (-not $first) {
    Write-Output "$folder is not on PATH. Add it with: `$env:PATH = `"$folder;`$env:PATH`""
  } elseif ($first.Source -ne (Join-Path $folder 'cli.exe')) {
    Write-Output "Warning: $($first.Source) comes first on PATH"
  }
}

# On the last line, so that half a script does nothing.
Install-Cli
